import { expect, test } from 'vitest'
import { sealRelease } from '../../../server/src/core/deployments/rows/release.ts'
import { usedVariables } from '../../../server/src/core/deployments/rows/used-variables.ts'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { released } from '../engine-says.ts'
import { seed } from '../seed.ts'
import { joinAs, NARROW, openStage, overhang, signedInAs } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const stage = await openStage()
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids, projects } = await seed(stage.world, made.orgId, stage.world.as)
await released(stage.world, projects.orders ?? '', ids['orders#20'] ?? '', ['web', 'api', 'worker'])
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
    expect.stringContaining('Action requiredorders #21'),
    expect.stringContaining('Failedbilling #44'),
  ])
  const cards = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) })
  await expect.poll(() => cards.allTextContents()).toHaveLength(4)
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
  await page.getByText('Say how payments are retried').waitFor()
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
  expect(new URL(page.url()).pathname).toBe(`/deployments/${ids['orders#21']}`)
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
  await page.goto(`/deployments/${ids['orders#21']}`)
  await page.getByRole('button', { name: 'Put everything back' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Put everything back?' })
  await dialog.getByText('web and api go back to the version from before.').waitFor()
  await dialog.getByText('#20 stays the live release.').waitFor()
  await set(ids['orders#21'], { decision: 'kept', waitingOn: null })
  await dialog.getByRole('button', { name: 'Put back' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'It does not await a decision.' }).waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Kept in part', { exact: true }).waitFor()
})

/** As a run is left that waits for an answer. */
async function asks(id: string, promptId: string): Promise<void> {
  const run = { status: 'parked', gate: promptId }
  await platform.db
    .updateTable('run')
    .set(run as never)
    .where('id', '=', id)
    .execute()
  await set(id, { status: 'building', finishedAt: null, waitingOn: JSON.stringify({ kind: 'prompt', promptId }) })
}

test('who is asked to approve reads what follows and what stays, and the answer is the one that was pressed', async () => {
  const id = ids['docs#44'] ?? ''
  const answers = async () =>
    (await platform.db.selectFrom('run').select('answers').where('id', '=', id).executeTakeFirstOrThrow()).answers
  const page = await open()
  await asks(id, 'approve_build')
  await page.goto(`/deployments/${id}`)
  const panel = page.getByRole('region', { name: 'It waits for an answer' })
  await panel.getByText('The project wants a person to approve every build').waitFor()
  await panel.getByRole('button', { name: 'Approve' }).click()
  const build = page.getByRole('alertdialog', { name: 'Build #44?' })
  await build.getByText('web is built now.').waitFor()
  await build.getByText('What serves now, #45, is not touched.').waitFor()
  await build.getByRole('button', { name: 'Leave it' }).click()
  await build.waitFor({ state: 'detached' })
  expect(await answers()).toEqual({})
  await panel.getByRole('button', { name: 'Approve' }).click()
  await build.getByRole('button', { name: 'Approve' }).click()
  await build.waitFor({ state: 'detached' })
  await panel.waitFor({ state: 'detached' })
  expect(await answers()).toEqual({ approve_build: { action: 'approve' } })

  await asks(id, 'approve_release')
  await panel.getByRole('button', { name: 'Decline' }).click()
  const decline = page.getByRole('alertdialog', { name: 'Decline #44?' })
  await decline.getByText('It ends here as failed. What was built for it is not used.').waitFor()
  // Somebody else was faster: that is said, and nothing is sent over it.
  await set(id, { waitingOn: null })
  await decline.getByRole('button', { name: 'Decline' }).click()
  await decline.getByRole('alert').waitFor()
  expect(await answers()).toEqual({ approve_build: { action: 'approve' } })
})

test('what is pinned is shown so when the API has said it, and unpinned after reading what follows', async () => {
  const page = await open()
  await page.goto(`/deployments/${ids['docs#45']}`)
  const more = page.getByRole('button', { name: 'More actions' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Pin: keep its images' }).click()
  await expect
    .poll(async () => (await page.request.get(`/api/deployments/${ids['docs#45']}`)).json())
    .toMatchObject({ pinned: true })
  await more.click()
  await page.getByRole('menuitem', { name: 'Unpin' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Unpin deployment #45?' })
  await dialog.getByText('its images are removed from the server').waitFor()
  await dialog.getByText('What serves now, #45, is not touched.').waitFor()
  await dialog.getByRole('button', { name: 'Unpin' }).click()
  await expect
    .poll(async () => (await page.request.get(`/api/deployments/${ids['docs#45']}`)).json())
    .toMatchObject({ pinned: false })
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

test('one that waits for its turn says what its project does first', async () => {
  const org = await stage.world.org('Queue')
  const { api } = org.owner
  await api('POST', '/api/servers', { kind: 'ssh', name: 'one', host: '192.0.2.1' })
  const projectId = (await api('POST', '/api/projects', { name: 'shop' })).body.id
  const image = { projectId, image: 'nginx:1', buildStrategy: 'image' }
  const deploy = async () => (await api('POST', '/api/deployments/build/access', image)).body.deployment_id
  const first = await deploy()
  const setRun = (status: string) => platform.pool.query('update run set status = $2 where id = $1', [first, status])
  await setRun('running')
  await set(first, { status: 'building' })
  const page = await stage.open({ storageState: await signedInAs(stage.world, org.owner) })
  await page.goto(`/deployments/${await deploy()}`)
  const head = page.locator('#main')
  await expect.poll(() => head.textContent()).toContain('It waits for #1.')
  await setRun('succeeded')
  await head.getByText('It begins as soon as there is room.').waitFor()
})

test('a server that does not answer leaves what was loaded, with its age and a way to ask again', async () => {
  const page = await open()
  await page.goto('/')
  await page.getByText('Say how payments are retried').first().waitFor()
  await page.route('**/api/**', (route) => route.abort())
  await page.getByText(/^As of \d\d:\d\d/).waitFor()
  expect(await page.getByText('Say how payments are retried').first().isVisible()).toBe(true)
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

test('the menu says of a failed deployment that it failed, and leads back to the release before the one that serves', async () => {
  await set(ids['billing#43'], { tookOver: ids['billing#42'] })
  const page = await open()
  await page.goto(`/projects/${projects.billing}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('menuitem', { name: '#44’s source again, with today’s variables (failed)' }).waitFor()
  await page.getByRole('menuitem', { name: 'Go back to #42' }).click()
  const asked = page.getByRole('alertdialog', { name: 'Roll back to #42?' })
  await asked.getByText('a rollback brings back code, not data').waitFor()
  await asked.getByRole('button', { name: 'Leave it' }).click()
  await asked.waitFor({ state: 'detached' })
})

test('the first steps say why somebody may not use this machine, and who may asks for it once', async () => {
  const beginners = await stage.world.org('Beginners')
  const developer = await stage.world.person(beginners.id, 'developer')
  const page = await stage.open({ storageState: await signedInAs(stage.world, developer) })
  await page.goto('/setup')
  await page.getByText('Your role developer may not do this: it needs server:admin.').waitFor()
  expect(await page.getByRole('button', { name: 'Use this machine' }).isDisabled()).toBe(true)
  const owner = await stage.open({ storageState: await signedInAs(stage.world, beginners.owner) })
  const keys: (string | undefined)[] = []
  owner.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/servers'))
      keys.push(request.headers()['idempotency-key'])
  })
  await owner.goto('/setup')
  await owner.getByRole('button', { name: 'Use this machine' }).click()
  await expect.poll(() => keys).toEqual([expect.any(String)])
})

test('a variable that was changed is deployed at once with the source that serves', async () => {
  const docs = projects.docs ?? ''
  const serves = ids['docs#45'] ?? ''
  const used = usedVariables([], { services: ['web'], own: [] })
  const web = { service: 'web', project: docs, deployment: serves, image: 'x', environment: {}, networks: [] }
  await set(serves, { release: sealRelease(platform, serves, { services: [web as never], variables: [used] }) })
  const page = await open()
  await page.goto(`/projects/${docs}?tab=variables`)
  const now = page.getByRole('button', { name: 'Deploy #45’s source with them now' })
  await page.getByText('No variables yet').waitFor()
  expect(await now.count()).toBe(0)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('MODE')
  await page.getByRole('dialog').getByLabel('Value').fill('live')
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await page.getByText('added since #45', { exact: true }).waitFor()
  const sides = page.getByRole('navigation', { name: 'Sides of the project' })
  await sides.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Variables differ from what #45 serves with: MODE added.').waitFor()
  await now.click()
  await page.waitForURL('**/deployments/dep_*')
  const begun = await (await page.request.get(`/api${new URL(page.url()).pathname}`)).json()
  expect(begun).toMatchObject({ trigger: 'redeploy', source: { commitMessage: 'Say how payments are retried' } })
  await page.goto('/activity')
  await page.getByText(`Ada began a deployment anew docs #${begun.number}`).waitFor()
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
  expect(await page.getByText('Say how payments are retried').count()).toBe(0)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})
