import { expect, test } from 'vitest'
import { configFor, connectedLogin, startLabHost } from '../../../server/test/http/githost/stage.ts'
import { chooseFolder, dropFolder, folderOf, watchUploads } from '../folder.ts'
import { NARROW, openStage, overhang, signedInAs } from '../stage.ts'

const host = await startLabHost()
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
const stage = await openStage(configFor(host))
const { world } = stage

/** Somebody of an organization of their own, with a server that nobody looks at. */
async function owner(name: string) {
  const org = await world.org(name)
  const { api } = org.owner
  await api('POST', '/api/servers', { kind: 'ssh', name: 'fra-1', host: '192.0.2.10' })
  const storageState = await signedInAs(world, org.owner)
  return { org, api, open: (options = {}) => stage.open({ storageState, ...options }) }
}

const FILES = 2000
const app = {
  'package.json': JSON.stringify({ name: 'shop', private: true, scripts: { start: 'node server.js' } }),
  'server.js': 'require("node:http").createServer((q, r) => r.end("hello")).listen(process.env.PORT)',
}
const shop = folderOf('shop', {
  ...app,
  ...Object.fromEntries(
    Array.from({ length: FILES - 2 }, (_, n) => [`src/part-${n % 40}/${n}.js`, `export default ${n}`]),
  ),
  '.env': 'DATABASE_URL=postgres://never-sent\n',
  '.git/HEAD': 'ref: refs/heads/main',
  'node_modules/left/index.js': 'left',
})

test('2,000 files are sent once and then never again; the plan is edited, refused at its row, and deployed', async () => {
  const { api, open } = await owner('Folders')
  await api('POST', '/api/projects', { name: 'taken' })
  const page = await open()
  const uploads = watchUploads(page)
  await page.goto('/new')
  await chooseFolder(page, shop)
  await page.getByText('2,000 sent').waitFor()
  expect(uploads.blobs()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Choose another' }).click()
  await chooseFolder(page, shop)
  await page.getByText('2,000 files').waitFor()
  await page.getByText('nothing had to be sent').waitFor()
  expect(uploads.blobs()).toBe(0)
  const announced = uploads.announced()
  expect(announced).toHaveLength(2 * FILES)
  expect(announced.filter((path) => /env|node_modules|\.git/.test(path))).toEqual([])
  await page.getByText('Left out: .env, .git/, node_modules/').waitFor()

  const start = page.getByLabel('Start')
  expect(await start.inputValue()).toContain('server.js')
  await start.fill('node server.js --quiet')
  await page.getByText('yours').waitFor()
  await page.getByRole('button', { name: 'Put back start' }).click()
  await page.getByText('yours').waitFor({ state: 'detached' })
  await page.getByLabel('Port').fill('8080')
  expect(await page.getByLabel('Name of variable 1').inputValue()).toBe('DATABASE_URL')
  await page.getByLabel('Value of DATABASE_URL').fill('postgres://typed')
  await page.getByRole('button', { name: 'Paste a .env' }).click()
  await page.getByLabel('Text of a .env file').fill('TOKEN="a b"\n# said to people\nDATABASE_URL=\n')
  await page.getByRole('button', { name: 'Take them' }).click()
  expect(await page.getByLabel('Value of DATABASE_URL').inputValue()).toBe('postgres://typed')

  const name = page.getByLabel('Project', { exact: true })
  expect(await name.inputValue()).toBe('shop')
  await name.fill('taken')
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.getByText('A project named "taken" exists already.').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('shop')
  await page.getByText(/^shop\.localhost, if that is free\. A name below localhost opens only on the machine/).waitFor()
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.waitForURL('**/deployments/dep_*')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const { body: deployment } = await api('GET', `/api/deployments/${new URL(page.url()).pathname.split('/')[2]}`)
  expect(deployment).toMatchObject({ status: 'queued', source: { kind: 'upload' } })
  const { body: project } = await api('GET', `/api/projects/${deployment.projectId}`)
  expect(project.name).toBe('shop')
  const { body: services } = await api('GET', `/api/projects/${project.id}/services`)
  expect(services.data).toMatchObject([{ name: 'web', config: { port: 8080 } }])
  const { body: revealed } = await api('POST', `/api/projects/${project.id}/variables/reveal`)
  expect(revealed.variables).toMatchObject([
    { name: 'DATABASE_URL', value: 'postgres://typed' },
    { name: 'TOKEN', value: 'a b' },
  ])
})

test('without a project the overview takes a dropped folder, and sends it from the page of a new one', async () => {
  const { open } = await owner('Drops')
  const page = await open()
  const uploads = watchUploads(page)
  await page.goto('/')
  await page.getByText('Drop a folder here').waitFor()
  await dropFolder(
    page,
    'section[aria-label="A folder"]',
    folderOf('site', { 'index.html': '<h1>Hello</h1>', 'node_modules/a.js': '' }),
  )
  await page.waitForURL('**/new?from=folder')
  await page.getByText('1 file').waitFor()
  await page.getByRole('heading', { name: /^Static site/ }).waitFor()
  expect(uploads.announced()).toEqual(['index.html'])
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})

test('an upload that broke off says so, and goes on with what is missing', async () => {
  const { open } = await owner('Breaks')
  const page = await open()
  const large = (letter: string) => letter.repeat(300_000)
  const folder = folderOf('large', {
    'index.html': '<h1>',
    'a.bin': large('a'),
    'b.bin': large('b'),
    'c.bin': large('c'),
  })
  const uploads = watchUploads(page)
  let passed = 0
  await page.context().route(/\/blobs\//, (route) => (passed++ === 0 ? route.continue() : route.abort()))
  await page.goto('/new')
  await chooseFolder(page, folder)
  await page.getByRole('alert').filter({ hasText: 'did not come through' }).waitFor()
  await page.context().unroute(/\/blobs\//)
  uploads.blobs()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('3 sent').waitFor()
  expect(uploads.blobs()).toBe(3)
  await page.getByRole('button', { name: 'Choose another' }).click()
  await chooseFolder(page, folderOf('empty', { 'node_modules/a.js': 'a' }))
  await page.getByRole('alert').filter({ hasText: 'nothing in it that could be sent' }).waitFor()
})

test('a repository is found, planned and deployed by its branch; without a git host the page says how to connect one', async () => {
  const away = await owner('Away')
  const lonely = await away.open()
  await lonely.goto('/new?from=repository')
  await lonely.getByText('No git host is connected').waitFor()
  await host.do.repo({ full: 'acme/shop', private: true, files: app })
  await host.do.repo({ full: 'acme/books', private: false, files: { 'index.html': 'a' } })
  const { org, api, open } = await owner('Repositories')
  await connectedLogin(world, host, org, 'ada')
  const page = await open({ viewport: NARROW })
  await page.goto('/new?from=repository')
  await page.getByText('acme/books').waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('sho')
  await page.waitForURL('**q=sho**')
  await page.getByText('acme/books').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /acme\/shop/ }).click()
  expect(await page.getByLabel('Branch').inputValue()).toBe('main')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText(/Because: .*package\.json/).waitFor()
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.waitForURL('**/deployments/dep_*')
  const { body } = await api('GET', '/api/projects')
  expect(body.data).toMatchObject([{ name: 'shop', branch: 'main', latest: { status: 'queued' } }])
  expect(body.data[0].repository).toContain('acme/shop')
})

test('a project that was made before its deployment was refused is told of, and the next try deploys that one', async () => {
  const { api, open } = await owner('Again')
  const page = await open()
  const refusal = { success: false, error: 'The server is being looked after.', code: 'not_now', requestId: 'req_1' }
  const start = '**/api/deployments/build/access'
  await page.route(start, (route) => route.fulfill({ status: 400, json: refusal }))
  await page.goto('/new?from=image')
  await page.getByLabel('Image').fill('nginx:1.29')
  await page.keyboard.press('Enter')
  await page.getByLabel('Project', { exact: true }).fill('again')
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.getByText('The server is being looked after.').waitFor()
  await page.getByText('The project again is made. It has not been deployed.').waitFor()
  const names = async () => (await api('GET', '/api/projects')).body.data.map(({ name }: { name: string }) => name)
  expect(await names()).toEqual(['again'])
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.getByText('The server is being looked after.').waitFor()
  expect(await names()).toEqual(['again'])
  await page.unroute(start)
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.waitForURL('**/deployments/dep_*')
  expect(await names()).toEqual(['again'])
  expect((await api('GET', '/api/deployments')).body.data).toMatchObject([{ source: { image: 'nginx:1.29' } }])
})

test('an image needs its name and nothing else, and who may not deploy is told so at the button', async () => {
  const { org, api, open } = await owner('Images')
  const page = await open()
  await page.goto('/new?from=image')
  await page.getByLabel('Image').fill('not an image')
  await page.keyboard.press('Enter')
  await page.getByText('That is no name of an image').waitFor()
  await page.getByLabel('Image').fill('nginx:1.29')
  await page.keyboard.press('Enter')
  await page.getByText('Runs as it is').waitFor()
  await page.getByLabel('Address').fill('front')
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.waitForURL('**/deployments/dep_*')
  const { body } = await api('GET', '/api/deployments')
  expect(body.data).toMatchObject([{ source: { kind: 'image', image: 'nginx:1.29' } }])
  const viewer = await world.person(org.id, 'viewer')
  const watching = await stage.open({ storageState: await signedInAs(world, viewer) })
  await watching.goto('/new')
  await watching.getByText('Your role viewer may not do this').waitFor()
  expect(await watching.getByRole('button', { name: 'Choose a folder' }).isDisabled()).toBe(true)
})
