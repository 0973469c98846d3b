import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pollDevices } from '../../../server/src/core/githost/connect/device.ts'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { configFor, startLabHost } from '../../../server/test/http/githost/stage.ts'
import { joinAs, NARROW, openStage, overhang } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const root = mkdtempSync(join(tmpdir(), 'slipway-destinations-'))
mkdirSync(join(root, 'shop'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const host = await startLabHost()
const { clientId } = host.do.oauthApp({ name: 'slipway', callbackUrls: [] })
host.do.user({ login: 'ada' })
host.do.deviceSettings({ interval: 0 })
await host.do.repo({ full: 'ada/shop', private: true, files: { a: 'a' } })
await host.do.repo({ full: 'ada/docs', private: false, files: { a: 'a' } })
const { githost, ...trusted } = configFor(host)
const stage = await openStage({
  ...trusted,
  githost: { ...githost, oauth: { clientId, clientSecret: null } },
  backups: { allowLocal: true, localRoot: root, serverRoot: '/var/lib/slipway/backups' },
})
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const open = (options = {}) => stage.open({ storageState: signedIn, ...options })
type Page = Awaited<ReturnType<typeof open>>
const rows = async (page: Page, path: string) => (await (await page.request.get(path)).json()).data

test('a place for backups is added, checked step by step, changed without its secrets, and forgotten', async () => {
  const page = await open()
  await page.goto('/backups')
  await page.getByText('There is no place for backups yet').waitFor()
  const add = async (kind: string, fields: Record<string, string>) => {
    await page.getByRole('button', { name: 'Add a destination' }).click()
    const form = page.getByRole('dialog', { name: 'Add a destination' })
    await form.getByLabel('Kind').selectOption(kind)
    for (const [label, text] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(text)
    await form.getByRole('button', { name: 'Add' }).click()
    return form
  }
  const outside = await add('local', { Name: 'here', Folder: '/somewhere/else' })
  await outside.locator('[role=alert], [aria-invalid=true]').first().waitFor()
  await outside.getByLabel('Folder').fill(join(root, 'shop'))
  await outside.getByRole('button', { name: 'Add' }).click()
  await outside.waitFor({ state: 'detached' })
  await page.getByText('Not checked yet').waitFor()
  await page.getByRole('button', { name: 'Check here' }).click()
  await page.getByText('Works').waitFor()
  const steps = page.getByRole('list', { name: 'What the last check did' }).getByRole('listitem')
  const [here] = await rows(page, '/api/backup-destinations')
  expect((await steps.allTextContents()).map((text) => /^[a-z]+/.exec(text)?.[0])).toEqual(
    here.lastVerifySteps.map(({ step }: { step: string }) => step),
  )

  const bucket = { Bucket: 'backups', Endpoint: 'http://127.0.0.1:9', 'Access key': 'k', 'Secret key': 'not shown' }
  const form = await add('s3_compatible', { Name: 'offsite', ...bucket })
  await form.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Check offsite' }).click()
  await page.getByText('Broken').waitFor()
  const broken = (await rows(page, '/api/backup-destinations')).find(({ name }: { name: string }) => name === 'offsite')
  await page.getByText(broken.lastVerifyError).waitFor()
  expect(await page.content()).not.toContain('not shown')
  await page.getByRole('button', { name: 'Actions for offsite' }).click()
  await page.getByRole('menuitem', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: 'Change offsite' })
  expect(await change.getByText('Set', { exact: true }).count()).toBe(2)
  await change.getByLabel('Name', { exact: true }).fill('away')
  // Somebody else is faster.
  const other = { name: 'offsite', bucket: 'other-backups' }
  await page.request.patch(`/api/backup-destinations/${broken.id}`, { data: other, headers: { origin: stage.url } })
  await change.getByRole('button', { name: 'Save' }).click()
  await change.getByText('the bucket is now “other-backups”, it was “backups”').waitFor()
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await change.getByRole('button', { name: 'Save' }).click()
  expect((await sent).postDataJSON()).toEqual({ name: 'away' })
  await change.waitFor({ state: 'detached' })
  expect(await (await page.request.get(`/api/backup-destinations/${broken.id}`)).json()).toMatchObject({
    name: 'away',
    bucket: 'other-backups',
    hasSecretAccessKey: true,
  })
  await page.getByRole('button', { name: 'Actions for away' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Forget away?' })
  await dialog.getByText('Nothing that lies there is touched').waitFor()
  await dialog.getByRole('button', { name: 'Forget it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'away' }).waitFor({ state: 'detached' })
  expect(await rows(page, '/api/backup-destinations')).toHaveLength(1)
})

/** What the recurring job does, without waiting for its turn. */
async function pollNow(): Promise<void> {
  await platform.db
    .updateTable('githostAttempt')
    .set({ pollAt: new Date(0) })
    .where('pollAt', 'is not', null)
    .execute()
  await pollDevices(platform, new AbortController().signal)
}

test('a git host is connected by a code that survives a reload, and the page notices when it is done', async () => {
  const page = await open()
  await page.goto('/git')
  await page.getByText('Not connected').waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('button', { name: 'Use your own account' }).click()
  const code = page.locator('code.select-all')
  await code.waitFor()
  const shown = await code.textContent()
  expect(shown).toMatch(/^\w{4}-\w{4}$/)
  await page.getByText(/^Good for another/).waitFor()
  await page.reload()
  await code.waitFor()
  expect(await code.textContent()).toBe(shown)
  host.do.approveDevice({ userCode: shown ?? '', login: 'ada' })
  await pollNow()
  await page.getByText('Connected', { exact: true }).waitFor()
  await page.getByRole('list', { name: 'Accounts' }).getByText('by an account').waitFor()
  expect(await (await page.request.get('/api/githost/status')).json()).toMatchObject({ state: 'oauth' })
})

test('repositories are searched in the address and open in place; what was decided about pushes is read as a sentence', async () => {
  const page = await open()
  await page.goto('/git?tab=repositories')
  await page.getByRole('link', { name: /ada\/docs/ }).waitFor()
  await page.getByLabel('Search repositories').fill('sho')
  await page.waitForURL('**/git?tab=repositories&q=sho')
  await page.getByRole('link', { name: /ada\/docs/ }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /ada\/shop/ }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await page.getByText('No project deploys it.').waitFor()
  expect(new URL(page.url()).searchParams.get('repo')).toBe('ada/shop')
  await page.getByRole('link', { name: 'Its deliveries' }).click()
  await page.getByText('No delivery fits these filters').waitFor()
  const told = { hookKey: 'k', event: 'push', repository: 'ada/shop', ref: 'refs/heads/main', pusher: 'ada' }
  await platform.db
    .insertInto('githostDelivery')
    .values({
      ...{ id: newId('ghd'), orgId: made.orgId, guid: 'g1', ...told, after: 'd9dae0a'.padEnd(40, '0') },
      ...{ decidedAt: new Date(), decision: 'skipped', reason: 'auto-deploy is paused' },
    })
    .execute()
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'auto-deploy is paused' })
  await row.waitFor()
  expect(await row.textContent()).toMatch(/Skipped.*ada\/shop main d9dae0a.*pushed by ada/)
  await row.getByRole('button', { name: 'Replay ada/shop main' }).click()
  await page.getByRole('alertdialog').getByText('It is decided from where main is now').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Decision' }).click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.waitForURL('**/git?tab=deliveries&repo=ada%2Fshop&decision=failed')
  await page.getByText('No delivery fits these filters').waitFor()
})

test('rules are set together, and disconnecting says what stays', async () => {
  const page = await open()
  await page.goto('/git?tab=rules')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Rule 1: repositories').fill('ada/internal-*')
  await page.getByRole('button', { name: 'Set the rules' }).click()
  await page.getByRole('button', { name: 'Set the rules' }).waitFor({ state: 'detached' })
  expect(await (await page.request.get('/api/githost/rules')).json()).toEqual({
    rules: [{ role: 'developer', pattern: 'ada/internal-*', allow: false }],
  })
  await page.getByRole('button', { name: 'Draw another hook secret' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Draw another hook secret?' })
  await dialog.getByRole('button', { name: 'Draw another' }).click()
  await dialog.getByRole('alert').waitFor()
  await page.goto('/git')
  await page.getByRole('button', { name: 'Disconnect all' }).click()
  await page.getByRole('alertdialog').getByText('What runs goes on running.').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Not connected').waitFor()
  expect(await (await page.request.get('/api/githost/status')).json()).toMatchObject({ state: 'disconnected' })
})

test('what was done is told with who, which and from where; it is narrowed in the address and opens in place', async () => {
  const page = await open()
  await page.goto('/activity')
  await page.getByText('Ada disconnected a git host').waitFor()
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Checked a backup destination' }).click()
  await page.waitForURL('**/activity?action=backup_destination.preflight')
  const row = page.locator('details').filter({ hasText: 'checked a backup destination here' })
  await row.locator('summary').click()
  await row.getByText('127.0.0.1').first().waitFor()
  const entries = await rows(page, '/api/audit?action=backup_destination.preflight')
  expect(await page.locator('details').count()).toBe(entries.length)
  await row.getByRole('link', { name: 'Everything about it' }).click()
  await page.waitForURL('**/activity?target=dst_*')
  await page.getByText('added a backup destination').first().waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL(`${stage.url}/activity`)
  await page.getByRole('combobox', { name: 'Person' }).click()
  await page.getByRole('option', { name: 'Ada' }).click()
  await page.waitForURL('**/activity?actor=usr_*')
  await page.getByText('Ada disconnected a git host').waitFor()
  await page.getByLabel('From', { exact: true }).fill('2020-02-03')
  await page.getByLabel('To', { exact: true }).fill('2020-02-04')
  await page.waitForURL('**/activity?actor=usr_*&since=2020-02-03&until=2020-02-04')
  await page.getByText('Nothing fits these filters').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('Ada disconnected a git host').waitFor()
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('')
  const today = await page.evaluate(() => new Date().toLocaleDateString('sv'))
  await page.getByLabel('From', { exact: true }).fill(today)
  await page.getByLabel('To', { exact: true }).fill(today)
  await page.waitForURL(`**/activity?since=${today}&until=${today}`)
  await page.getByText('Ada disconnected a git host').waitFor()
})

test('places of the platform are reached by keys, and none is moved sideways on a phone', async () => {
  const page = await open()
  await page.goto('/')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  for (const [key, title] of [
    ['b', 'Backups'],
    ['g', 'Git host'],
    ['a', 'Activity'],
    [',', 'Settings'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  const phone = await open({ viewport: NARROW })
  for (const path of ['/backups', '/git', '/activity', '/settings?tab=instance']) {
    await phone.goto(path)
    await phone.locator('main li, main dl').first().waitFor()
    expect([path, await overhang(phone)]).toEqual([path, 0])
  }
})
