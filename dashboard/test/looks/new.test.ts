import type { Page } from 'playwright-core'
import { configFor, connectedLogin, startLabHost } from '../../../server/test/http/githost/stage.ts'
import { chooseFolder, folderOf } from '../folder.ts'
import { openStage, signedInAs } from '../stage.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'
import { CHANGED, REPORT, STACK } from './servers-recorded.ts'

const host = await startLabHost()
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
for (const full of ['acme/docs', 'acme/billing', 'acme/shop'])
  await host.do.repo({ full, private: full !== 'acme/docs', files: { 'index.html': 'a' } })
const stage = await openStage(configFor(host))
const { world } = stage
const org = await world.org('Acme')
const { api } = org.owner
await connectedLogin(world, host, org, 'ada')
const empty = await world.org('Harbour')
for (const { owner } of [org, empty])
  await world.platform.db.updateTable('person').set({ name: 'Ada' }).where('id', '=', owner.userId).execute()
const { id: orders } = (await api('POST', '/api/projects', { name: 'orders' })).body

const added = async (name: string, report: object | null) => {
  const made = (await api('POST', '/api/servers', { kind: 'ssh', name, host: '192.0.2.10', user: 'deploy' })).body
  const hostKey = report && `ssh-ed25519 SHA256:${'A'.repeat(43)}`
  await world.platform.db
    .updateTable('server')
    .set({ hostKey, lastReport: report && JSON.stringify(report) } as never)
    .where('id', '=', made.id)
    .execute()
  return made.id as string
}
const good = await added('fra-1', REPORT)
const fresh = await added('fra-2', null)
const changed = await added('ams-1', CHANGED)

const app = folderOf('shop', {
  'package.json': JSON.stringify({ name: 'shop', scripts: { start: 'node server.js', build: 'vite build' } }),
  'package-lock.json': '{}',
  'server.js': '',
  '.env': 'DATABASE_URL=1\nSMTP_PASSWORD_OF_THE_OUTGOING_MAIL_SERVER=2\n',
  'a.log': '',
  '.gitignore': '*.log\ndist\ncoverage\n',
  'dist/a.js': '',
  'coverage/a.js': '',
})

/** What a server would answer that is not there. */
const recorded = async (page: Page) => {
  await page.route('**/api/migration/scan', (route) => route.fulfill({ json: { success: true, stack: STACK } }))
  await page.reload()
  await page.getByRole('checkbox', { name: 'blog' }).check()
}

const used = async (page: Page) => {
  const data = [{ projectId: orders, containers: 4, cores: 0.31, memoryBytes: 6.2e8 }]
  await page.route('**/api/servers/*/usage', (route) => route.fulfill({ json: { data } }))
  await page.reload()
}

const SCREENS: Screens = {
  new: { path: '/new', shows: 'text=Drop a folder here', picture: 'new-project' },
  plan: {
    path: '/new',
    shows: 'text=Because:',
    picture: 'new-folder',
    act: async (page) => {
      await chooseFolder(page, app)
      await page.getByLabel('Port').fill('8080')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
    },
  },
  repositories: { path: '/new?from=repository', shows: 'text=acme/shop', picture: 'new-repository' },
  branch: { path: '/new?from=repository&owner=acme&repo=shop', shows: 'text=Pushes to it are deployed' },
  image: {
    path: '/new?from=image&image=nginx:1.29',
    shows: 'text=Runs as it is',
    act: (page) => page.getByRole('button', { name: 'Go on' }).click(),
    picture: 'new-image',
  },
  'no image': {
    path: '/new?from=image',
    shows: 'text=That is no name of an image',
    act: (page) => page.getByRole('button', { name: 'Go on' }).click(),
  },
  servers: { path: '/servers', shows: 'text=ams-1', picture: 'servers' },
  'add a server': { path: '/servers?add=ssh', shows: '[role=dialog]' },
  server: { path: `/servers/${good}`, shows: 'text=0.31 cpu', act: used, picture: 'server' },
  'server without a check': { path: `/servers/${fresh}`, shows: 'text=Take this key and no other' },
  'server with another key': { path: `/servers/${changed}`, shows: 'text=The server shows another host key' },
  adopt: { path: `/servers/${fresh}/adopt`, shows: 'text=Create the project', act: recorded, picture: 'adoption' },
}

const NEWCOMER: Screens = {
  'overview without a project': { path: '/', shows: 'text=Drop a folder here' },
  'first steps': { path: '/setup', shows: 'text=Use this machine', picture: 'setup' },
}

everyScreenIsForEverybody(stage, [
  [await signedInAs(world, org.owner), SCREENS],
  [await signedInAs(world, empty.owner), NEWCOMER],
])
