import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { chooseFolder, dropFolder, folderOf, watchUploads } from '../folder.ts'
import { newPlace, openStageOf, signedInAs } from '../stage.ts'

const { url, config } = await newPlace()
const site = await startSite('drop', config)
const stage = await openStageOf(site.world, url)

test('a dropped folder is planned, deployed on a real engine, and its address answers; the same again sends nothing', async () => {
  const page = await stage.open({ storageState: await signedInAs(site.world, site.org.owner) })
  const uploads = watchUploads(page)
  const folder = folderOf('hello', { 'index.html': '<h1>Hello from a drop</h1>', 'style.css': 'h1 { color: navy }' })
  await page.goto('/new')
  await page.getByText('Drop a folder here').waitFor()
  await dropFolder(page, 'section[aria-label="A folder"]', folder)
  await page.getByRole('heading', { name: /^Static site/ }).waitFor()
  expect(uploads.blobs()).toBe(1)
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.waitForURL('**/deployments/dep_*')
  const id = new URL(page.url()).pathname.split('/')[2] ?? ''
  expect((await site.ended(id)).status).toBe('ready')
  await page.getByText('Live', { exact: true }).first().waitFor()
  const answer = await site.ask('hello.drop.test')
  expect([answer.status, answer.text]).toEqual([200, '<h1>Hello from a drop</h1>'])
  await page.goto('/new')
  await chooseFolder(page, folder)
  await page.getByText('nothing had to be sent').waitFor()
  expect(uploads.blobs()).toBe(0)
})

test('who deletes a project that serves reads that it is stopped first; then its address answers no more', async () => {
  const [project] = (await site.api('GET', '/api/projects')).body.data
  const page = await stage.open({ storageState: await signedInAs(site.world, site.org.owner) })
  await page.goto(`/projects/${project.id}?tab=settings`)
  await page.getByRole('button', { name: 'Delete the project' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete hello?' })
  await dialog.getByText('What runs of #1 is stopped first: visitors get nothing any more.').waitFor()
  await dialog.getByText('Its volumes stay on the server, with all data in them.').waitFor()
  await dialog.getByText('The repository and your folders are not touched.').waitFor()
  await dialog.getByLabel('Type hello to go on').fill('hello')
  expect((await site.ask('hello.drop.test')).status).toBe(200)
  await dialog.getByRole('button', { name: 'Delete the project' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await expect.poll(async () => (await site.ask('hello.drop.test')).status, { timeout: 60_000 }).not.toBe(200)
  expect((await site.api('GET', '/api/projects')).body.data).toEqual([])
})
