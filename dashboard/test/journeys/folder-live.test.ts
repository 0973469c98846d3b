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
