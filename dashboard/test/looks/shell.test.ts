import type { Page } from 'playwright-core'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { engineSays, released } from '../engine-says.ts'
import { linesOf, print } from '../printed.ts'
import { seed } from '../seed.ts'
import { joinAs, openStage } from '../stage.ts'
import { engineAnswers, failedBuild, runsOfStory } from './deployments-recorded.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }

const stage = await openStage()
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const seeded = await seed(stage.world, made.orgId, stage.world.as)
const { ids, projects } = seeded
engineSays(stage.world, made.orgId).ofProject = runsOfStory(seeded)
for (const [project, number, services] of [
  ['docs', 43, ['web']],
  ['docs', 45, ['web']],
  ['shop', 146, ['web', 'api', 'worker']],
  ['orders', 20, ['web', 'api', 'worker']],
  ['billing', 43, ['api', 'jobs']],
] as const)
  await released(stage.world, projects[project] ?? '', ids[`${project}#${number}`] ?? '', [...services])
for (const [name, services, count] of [
  ['shop#148', ['web', 'api'], 600],
  ['orders#21', ['web', 'api', 'worker'], 300],
  ['docs#45', ['web'], 240],
  ['docs#43', ['web'], 240],
] as const)
  await print(stage.world, ids[name] ?? '', linesOf(count, [...services]))
await print(stage.world, ids['billing#44'] ?? '', failedBuild(812, ['api', 'jobs'], 'jobs'))

const at = (name: string, search = '') => `/deployments/${ids[name]}${search}`
const answered = engineAnswers(seeded)
const MORE = (page: Page) => page.getByRole('button', { name: 'More actions' }).click()

/** Every screen and what lies over one, by what it shows when it is there. */
const SCREENS: Screens = {
  overview: { path: '/', shows: 'text=Upgrade the database driver', picture: 'overview' },
  list: { path: '/deployments', shows: 'text=Upgrade the database driver', picture: 'deployments' },
  'empty list': { path: '/deployments?branch=none', shows: 'text=No deployment fits these filters' },
  building: { path: at('shop#148'), shows: 'text=running for', picture: 'deployment-building' },
  decision: { path: at('orders#21'), shows: 'text=as before', act: answered, picture: 'deployment-decision' },
  failed: { path: at('billing#44', '?line=812'), shows: 'text=build_failed', picture: 'deployment-failed' },
  live: { path: at('docs#45'), shows: 'text=Tidy up', picture: 'deployment-live' },
  'way back': {
    path: at('docs#43'),
    shows: '[role=alertdialog] >> text=replaced by what ran then',
    picture: 'rollback',
    act: async (page) => {
      await answered(page)
      await page.getByRole('button', { name: 'Roll back to this' }).click()
    },
  },
  'not found': { path: '/nowhere', shows: 'text=There is nothing at this address', byAddress: true },
  setup: { path: '/setup', shows: 'text=A place for backups' },
  menu: { path: at('shop#148'), shows: '[role=menu]', act: MORE },
  dialog: {
    path: at('orders#21'),
    shows: '[role=alertdialog]',
    act: (page) => page.getByRole('button', { name: 'Put everything back' }).click(),
  },
  palette: {
    path: '/deployments',
    shows: '[role=listbox]',
    act: (page) => page.keyboard.press('Control+k'),
    picture: 'palette',
  },
  keys: { path: '/deployments', shows: 'text=Row before', act: (page) => page.keyboard.press('?') },
}
const OUTSIDE: Screens = {
  'sign-in': { path: '/sign-in', shows: 'text=Stay signed in', picture: 'sign-in' },
  join: { path: '/join#code', shows: 'text=Join and sign in', picture: 'join' },
  'join without a code': { path: '/join', shows: 'text=This link is not complete' },
}

everyScreenIsForEverybody(stage, [
  [signedIn, SCREENS],
  [undefined, OUTSIDE],
])
