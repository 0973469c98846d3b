import type { Page } from 'playwright-core'
import { configFor, connectedLogin, startLabHost } from '../../../server/test/http/githost/stage.ts'
import { chooseFolder, folderOf } from '../folder.ts'
import { openStage, signedInAs } from '../stage.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'
import { CHANGED, REPORT, STACK } from './servers-recorded.ts'

const host = await startLabHost()
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
await host.do.repo({ full: 'acme/shop', private: true, files: { 'index.html': 'a' } })
const stage = await openStage(configFor(host))
const { world } = stage
const org = await world.org('Acme')
const { api } = org.owner
await connectedLogin(world, host, org, 'ada')
const empty = await world.org('Empty')

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
const changed = await added('a-server-with-a-name-that-nobody-would-type-but-somebody-did', CHANGED)

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

const SCREENS: Screens = {
  new: { path: '/new', shows: 'text=Drop a folder here' },
  plan: {
    path: '/new',
    shows: 'text=Because:',
    act: async (page) => {
      await chooseFolder(page, app)
      await page.getByLabel('Port').fill('8080')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
    },
  },
  repositories: { path: '/new?from=repository', shows: 'text=acme/shop' },
  branch: { path: '/new?from=repository&owner=acme&repo=shop', shows: 'text=Pushes to it are deployed' },
  image: {
    path: '/new?from=image',
    shows: 'text=That is no name of an image',
    act: (page) => page.getByRole('button', { name: 'Go on' }).click(),
  },
  servers: { path: '/servers', shows: 'text=a-server-with-a-name' },
  'add a server': { path: '/servers?add=ssh', shows: '[role=dialog]' },
  server: { path: `/servers/${good}`, shows: 'text=prune' },
  'server without a check': { path: `/servers/${fresh}`, shows: 'text=Take this key and no other' },
  'server with another key': { path: `/servers/${changed}`, shows: 'text=The server shows another host key' },
  adopt: { path: `/servers/${fresh}/adopt`, shows: 'text=Create the project', act: recorded },
}

const NEWCOMER: Screens = { 'overview without a project': { path: '/', shows: 'text=Drop a folder here' } }

everyScreenIsForEverybody(stage, [
  [await signedInAs(world, org.owner), SCREENS],
  [await signedInAs(world, empty.owner), NEWCOMER],
])
