import type { Page } from 'playwright-core'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { engineSays, released } from '../engine-says.ts'
import { seed } from '../seed.ts'
import { joinAs, openStage } from '../stage.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }

const stage = await openStage()
const { world } = stage
const made = await bootstrap(world.platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids, projects } = await seed(world, made.orgId, world.as)
const said = engineSays(world, made.orgId)
const shop = projects.shop ?? ''
const at = (tab: string) => `/projects/${shop}?tab=${tab}`

const { userId } = await world.platform.db
  .selectFrom('member')
  .select('userId')
  .where('orgId', '=', made.orgId)
  .executeTakeFirstOrThrow()
const api = world.as(await world.tokenFor({ orgId: made.orgId, userId }))
const deployment = ids['shop#146'] ?? ''
await released(world, shop, deployment, ['web', 'api', 'worker'])
const since = new Date(Date.now() - 3 * 3_600_000).toISOString()
said.services = [
  { service: 'web', deployment, since, replicas: { wanted: 2, running: 2, healthy: 2 } },
  { service: 'api', deployment, since, replicas: { wanted: 1, running: 1, healthy: 1 } },
  { service: 'worker', deployment: ids['shop#145'] ?? '', since, replicas: { wanted: 1, running: 1, healthy: 1 } },
]
said.volumes = [{ name: `slipway-${shop}-uploads`, key: 'uploads', createdAt: since }]
said.addresses = { 'www.shop.example.com': ['203.0.113.9'] }
await api('PATCH', `/api/projects/${shop}`, { repository: 'https://git.example.com/acme/shop.git', branch: 'main' })
await world.platform.db.updateTable('project').set({ autoDeployPaused: true }).where('id', '=', shop).execute()
for (const host of ['shop.example.com', 'www.shop.example.com'])
  await api('POST', `/api/projects/${shop}/domains`, { host, port: 3000 })
await api('PUT', `/api/projects/${shop}/variables`, {
  variables: [
    { name: 'DATABASE_URL', value: 'postgres://shop@db/shop', scope: 'runtime' },
    { name: 'A_NAME_THAT_IS_FAR_LONGER_THAN_ANYBODY_WOULD_EVER_TYPE_INTO_A_FILE', value: 'x', service: 'web' },
  ],
})
await api('PUT', `/api/projects/${shop}/services/web`, {
  replicas: 2,
  memoryMb: 512,
  healthcheck: { path: '/healthz' },
})
const { id: empty } = (await api('POST', '/api/projects', { name: 'empty' })).body

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

const SCREENS: Screens = {
  overview: { path: `/projects/${shop}`, shows: 'text=not what #146 has of it', picture: 'project' },
  'without a release': { path: `/projects/${empty}`, shows: 'text=Nothing is served yet' },
  usage: { path: at('usage'), shows: 'text=490 MB of 512 MB' },
  domains: { path: at('domains'), shows: 'text=set A 192.0.2.10 instead', picture: 'project-domains' },
  'add a domain': { path: at('domains'), shows: '[role=dialog]', act: press('Add a domain') },
  variables: { path: at('variables'), shows: 'text=DATABASE_URL', picture: 'project-variables' },
  services: { path: at('services'), shows: 'text=2 replicas', picture: 'project-services' },
  'a service': { path: at('services'), shows: '[role=dialog]', act: press('Change web') },
  settings: { path: at('settings'), shows: 'text=Releases to go back to' },
  deletion: { path: at('settings'), shows: 'text=It has uploads.', act: press('Delete the project') },
  'all domains': { path: '/domains', shows: 'text=www.shop.example.com', picture: 'domains' },
}

everyScreenIsForEverybody(stage, [[signedIn, SCREENS]])
