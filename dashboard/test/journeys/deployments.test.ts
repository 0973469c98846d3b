import { expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { seed } from '../seed.ts'
import { joinAs, NARROW, openStage, overhang } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const stage = await openStage()
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids, projects } = await seed(stage.world, made.orgId, stage.world.as)
const open = (options = {}) => stage.open({ storageState: signedIn, ...options })
const set = (id: string | undefined, values: object) =>
  platform.db
    .updateTable('deployment')
    .set(values as never)
    .where('id', '=', id ?? '')
    .execute()

test('the overview says what needs somebody first, then what serves and what happened last', async () => {
  const page = await open()
  await page.goto('/')
  const attention = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
  await attention.first().waitFor()
  expect(await attention.allTextContents()).toEqual([
    expect.stringContaining('Action requiredshop #147'),
    expect.stringContaining('Failedbilling #44'),
  ])
  const cards = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) })
  await expect.poll(() => cards.allTextContents()).toHaveLength(3)
  expect((await cards.allTextContents()).every((text) => text.includes('Live'))).toBe(true)
  await attention.first().getByRole('link').click()
  await page.getByRole('heading', { name: '2 of 3 services came up. Keep them?' }).waitFor()
})

test('filters are the address: they narrow the list, survive a reload, and are left by going back', async () => {
  const page = await open()
  await page.goto('/deployments')
  await page.getByText('Upgrade the database driver').waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.waitForURL('**/deployments?status=failed')
  await page.getByText('Upgrade the database driver').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('Keep sessions for 30 days').waitFor()
  await page.goto(`/deployments?project=${projects.docs}&branch=next`)
  await page.getByText('Retry payments that time out').waitFor()
  expect(await page.locator('main [data-row]').count()).toBe(1)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL(`${stage.url}/deployments`)
})

test('rows are reached with j and k and opened with Enter', async () => {
  const page = await open()
  await page.goto('/deployments')
  await page.getByText('Upgrade the database driver').waitFor()
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Fix the empty state of the wish list' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/deployments/${ids['shop#147']}`)
})

test('every action that cannot be done now says why, below it', async () => {
  const page = await open()
  await page.goto(`/deployments/${ids['shop#148']}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  const item = page.getByRole('menuitem', { name: 'Roll back to this' })
  expect(await item.textContent()).toContain('It never became a release: building.')
  expect(await item.getAttribute('aria-disabled')).toBe('true')
})

test('a dialog says what will be different, and a "no" of the server is said in it', async () => {
  const page = await open()
  await page.goto(`/deployments/${ids['shop#147']}`)
  await page.getByRole('button', { name: 'Put everything back' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Put everything back?' })
  await dialog.getByText('web and api go back to the version from before.').waitFor()
  await set(ids['shop#147'], { decision: 'kept', waitingOn: null })
  await dialog.getByRole('button', { name: 'Put back' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'It does not await a decision.' }).waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Kept in part', { exact: true }).waitFor()
})

test('what is pinned is shown so when the API has said it', async () => {
  const page = await open()
  await page.goto(`/deployments/${ids['docs#45']}`)
  const more = page.getByRole('button', { name: 'More actions' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Pin: keep its images' }).click()
  await expect
    .poll(async () => (await page.request.get(`/api/deployments/${ids['docs#45']}`)).json())
    .toMatchObject({ pinned: true })
  await more.click()
  await page.getByRole('menuitem', { name: 'Unpin' }).waitFor()
})

test('a deployment that ends is told without a reload: pill, title of the tab, and the reason', async () => {
  const page = await open()
  await page.goto(`/deployments/${ids['shop#148']}`)
  await expect.poll(() => page.title()).toBe('#148 building · shop')
  const error = {
    code: 'build_failed',
    step: 'build',
    service: 'api',
    message: 'No space is left.',
    hint: 'Prune.',
    logSeq: 3,
  }
  await set(ids['shop#148'], { status: 'failed', error: JSON.stringify(error), finishedAt: new Date() })
  await page.getByRole('region', { name: 'Why it failed' }).getByText('No space is left.').waitFor()
  await expect.poll(() => page.title()).toBe('#148 failed · shop')
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/mark-bad.svg')
})

test('a server that does not answer leaves what was loaded, with its age and a way to ask again', async () => {
  const page = await open()
  await page.goto('/')
  await page.getByText('Retry payments that time out').first().waitFor()
  await page.route('**/api/**', (route) => route.abort())
  await page.getByText(/^As of \d\d:\d\d/).waitFor()
  expect(await page.getByText('Retry payments that time out').first().isVisible()).toBe(true)
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(/^As of \d\d:\d\d/).waitFor({ state: 'detached' })
})

test('a list that cannot be read is asked for once, not in a circle, and the rest of the page is there', async () => {
  const page = await open()
  let asked = 0
  await page.route('**/api/servers?*', (route) => {
    asked++
    return route.fulfill({ status: 500, json: { success: false, error: 'No.', code: 'internal', requestId: 'req_1' } })
  })
  await page.goto('/setup')
  await page.getByText('A place for backups').waitFor()
  await page.getByText('Use this machine').waitFor()
  expect(asked).toBeLessThan(4)
})

test('a theme that was chosen is there before the first paint, and in every tab', async () => {
  const page = await open({ colorScheme: 'light' })
  await page.goto('/')
  await page.getByRole('button', { name: 'Theme: system. Change to light' }).click()
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click()
  await page.getByRole('button', { name: 'Theme: dark. Change to system' }).waitFor()
  const other = await page.context().newPage()
  await other.goto('/', { waitUntil: 'commit' })
  await other.locator('html.dark').waitFor({ state: 'attached' })
  expect(await page.locator('html.dark').count()).toBe(1)
})

test('somebody in two organizations changes between them, and sees nothing of the other', async () => {
  const other = await stage.world.org('Harbour')
  const { id } = await platform.db
    .selectFrom('person')
    .select('id')
    .where('email', '=', ADA.email)
    .executeTakeFirstOrThrow()
  await platform.db.insertInto('member').values({ orgId: other.id, userId: id, role: 'viewer' }).execute()
  const page = await open({ viewport: NARROW })
  await page.goto('/')
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('button', { name: 'Organization: Acme' }).click()
  await page.getByRole('menuitem', { name: 'Harbour' }).click()
  await page.getByText('First steps').first().waitFor()
  expect(await page.getByText('Retry payments that time out').count()).toBe(0)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})
