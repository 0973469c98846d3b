import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { linesOf, print } from '../printed.ts'
import { seed } from '../seed.ts'
import { joinAs, openStage } from '../stage.ts'
import { LONG_PROJECT, LONG_SERVER, LONGEST } from './longest.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }

const stage = await openStage()
const made = await bootstrap(stage.world.platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids, projects } = await seed(stage.world, made.orgId, stage.world.as, LONGEST)
await stage.world.platform.db.updateTable('server').set({ name: LONG_SERVER }).execute()
for (const [name, services] of [
  ['shop#148', ['web', 'api']],
  ['orders#21', ['web', 'api', 'worker']],
  ['billing#44', ['api', 'jobs']],
] as const)
  await print(stage.world, ids[name] ?? '', linesOf(1000, [...services]))

const at = (name: string, search = '') => `/deployments/${ids[name]}${search}`
const LINES = '[role=log] [data-seq]'

const SCREENS: Screens = {
  'live log': { path: at('shop#148'), shows: 'text=Live' },
  'linked line': { path: at('billing#44', '?line=812'), shows: '[data-seq="812"]' },
  search: { path: at('billing#44', '?find=gift-cards&only=1'), shows: `${LINES} mark`, picture: 'log-search' },
  'one step': { path: at('orders#21', '?step=build:api'), shows: 'text=Only lines of' },
  'what services print': { path: `/projects/${projects.shop}?tab=logs`, shows: '[role=log]' },
  services: { path: at('orders#21', '?tab=services'), shows: 'text=Replicas' },
  'longest names in an overview': { path: '/', shows: 'text=A name without any spaces' },
  'longest names in a list': { path: '/deployments', shows: 'text=A name without any spaces' },
  'a project with the longest names': { path: `/projects/${projects[LONG_PROJECT]}`, shows: `text=${LONG_SERVER}` },
  'a deployment with the longest names': { path: at(`${LONG_PROJECT}#3`), shows: 'text=Roll out' },
  'many services': { path: at(`${LONG_PROJECT}#3`, '?tab=services'), shows: 'text=part-39' },
  'a server with the longest name': { path: '/servers', shows: `text=${LONG_SERVER}` },
  changes: { path: at('shop#146', '?tab=changes'), shows: 'text=Nothing to compare' },
}

everyScreenIsForEverybody(stage, [[signedIn, SCREENS]])
