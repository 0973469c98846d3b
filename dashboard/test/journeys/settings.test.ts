import { afterAll, expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { fakeRegistry } from '../../../test-kit/fake-registry.ts'
import { joinAs, NARROW, openStage, overhang, signedInAs, signIn } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const SAM = { email: 'sam@example.com', name: 'Sam', password: 'another one of ten letters' }
const registry = await fakeRegistry({ username: 'deploy', password: 'the right one' })
afterAll(() => registry.close())

const stage = await openStage({ allowedNetworks: ['127.0.0.0/8'] })
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const open = (options = {}) => stage.open({ storageState: signedIn, ...options })
const rows = async (page: Awaited<ReturnType<typeof open>>, path: string) =>
  (await (await page.request.get(path)).json()).data

test('somebody is invited by a link that is shown once, joins, gets another role, and is removed', async () => {
  const page = await open()
  await page.goto('/settings?tab=members')
  await page.getByRole('button', { name: 'Invite' }).click()
  const form = page.getByRole('dialog', { name: 'Invite somebody' })
  await form.getByLabel('Email').fill(SAM.email)
  await form.getByLabel('Role').selectOption('viewer')
  await form.getByRole('button', { name: 'Make the link' }).click()
  const shown = page.getByRole('dialog', { name: `The link for ${SAM.email}` })
  const link = (await shown.locator('[data-secret]').textContent()) ?? ''
  expect(link).toContain('/join#')
  await shown.getByText(/only somebody on it, or with a tunnel to it.*slipway setup install --domain NAME/).waitFor()
  await page.keyboard.press('Escape')
  expect(await shown.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true)
  await shown.getByLabel('I have copied it').check()
  await shown.getByRole('button', { name: 'Close' }).click()
  await shown.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Withdraw the invitation of ${SAM.email}` }).waitFor()
  expect(await page.content()).not.toContain(link)

  const other = await stage.open()
  await joinAs(other, link, SAM)
  await other.goto('/settings?tab=members')
  await other.getByText('Your role viewer may not do this: it needs member:write.').waitFor()
  await other.getByRole('button', { name: 'Actions for Ada' }).click()
  const item = other.getByRole('menuitem', { name: 'Make viewer' })
  expect(await item.textContent()).toContain('it needs member:admin')
  expect(await item.getAttribute('aria-disabled')).toBe('true')

  // Nobody has to load the page anew to see that they came in.
  await page.getByRole('button', { name: `Withdraw the invitation of ${SAM.email}` }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Actions for Sam' }).click()
  await page.getByRole('menuitem', { name: 'Make developer' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Make Sam developer?' })
  await dialog.getByText(/Sam may then also: .*deployment:write/).waitFor()
  await dialog.getByRole('button', { name: 'Make developer' }).click()
  await dialog.waitFor({ state: 'detached' })
  const roles = async () => (await rows(page, '/api/members')).map(({ name, role }: never) => `${name} ${role}`).sort()
  expect(await roles()).toEqual(['Ada owner', 'Sam developer'])

  await page.getByRole('button', { name: 'Actions for Ada' }).click()
  await page.getByRole('menuitem', { name: 'Make viewer' }).click()
  const last = page.getByRole('alertdialog', { name: 'Make Ada viewer?' })
  await last.getByRole('button', { name: 'Make viewer' }).click()
  await last.getByRole('alert').filter({ hasText: 'owner' }).waitFor()
  await last.getByRole('button', { name: 'Leave it' }).click()

  await page.getByRole('button', { name: 'Actions for Sam' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Actions for Sam' }).waitFor({ state: 'detached' })
  expect(await roles()).toEqual(['Ada owner'])
})

test('a token is made of ticked cells, is shown once, may what was ticked and no more, and ends when it is revoked', async () => {
  const page = await open()
  await page.goto('/settings?tab=tokens')
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.waitForURL('**/settings?tab=tokens&make=token')
  const form = page.getByRole('form', { name: 'A new token' })
  await form.getByLabel('Name').fill('build server')
  await form.getByLabel('It may').selectOption('read')
  expect(await form.getByLabel('project:read').isChecked()).toBe(true)
  expect(await form.getByLabel('project:write').isChecked()).toBe(false)
  await form.getByLabel('project:write').check()
  expect(await form.getByLabel('It may').inputValue()).toBe('own')
  for (const cell of ['audit:list', 'audit:read']) await form.getByLabel(cell).uncheck()
  await form.getByRole('button', { name: 'Make the token' }).click()
  const shown = page.getByRole('dialog', { name: 'The token build server' })
  const secret = (await shown.locator('[data-secret]').textContent()) ?? ''
  await shown.getByLabel('I have copied it').check()
  await shown.getByRole('button', { name: 'Close' }).click()

  const me = (await stage.world.as(secret)('GET', '/api/me')).body
  expect(me.permissions).toContain('project:write')
  expect(me.permissions).not.toContain('deployment:write')
  expect((await stage.world.as(secret)('GET', '/api/audit')).status).toBe(403)
  const [token] = (await rows(page, '/api/tokens')).filter(({ name }: { name: string }) => name === 'build server')
  expect(Date.parse(token.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000)

  await page.getByRole('button', { name: 'Revoke build server' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Revoke the token build server?' })
  await dialog.getByText('The next request with it is refused.').waitFor()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Revoke build server' }).waitFor({ state: 'detached' })
  expect((await stage.world.as(secret)('GET', '/api/me')).status).toBe(401)
  // The row had the focus, and is gone.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Settings')
})

test('the table of roles is the one that the server decides by, and fits a phone', async () => {
  const page = await open({ viewport: NARROW })
  await page.goto('/settings?tab=roles')
  const row = page.getByRole('row', { name: 'member:write' })
  await row.waitFor()
  expect(await row.getByRole('cell').allInnerTexts()).toHaveLength(4)
  expect(await row.getByRole('img', { name: 'yes' }).count()).toBe(1)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})

test('an invitation is withdrawn after reading that its link is worthless then', async () => {
  const page = await open()
  await page.request.post('/api/members/invitations', {
    data: { email: 'tom@example.com', role: 'viewer' },
    headers: { origin: stage.url },
  })
  await page.goto('/settings?tab=members')
  await page.getByRole('button', { name: 'Withdraw the invitation of tom@example.com' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Withdraw the invitation of tom@example.com?' })
  await dialog.getByText('The link that was sent to them is worthless from then on.').waitFor()
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => rows(page, '/api/members/invitations')).toEqual([])
})

test('a password that is wrong is said at its field; the right one ends the other sessions, which are listed', async () => {
  const [page, other] = [await open(), await stage.open()]
  await signIn(other, ADA)
  await page.goto('/settings')
  await page.getByText('this one', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'End the session of Chrome on Linux' }).first().waitFor()
  const [now, next] = [page.getByLabel('Password now'), page.getByLabel('New password')]
  await now.fill('not this one at all')
  await next.fill('a third one of ten letters')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.locator('#main [aria-invalid=true]').waitFor()
  expect(await next.inputValue()).toBe('a third one of ten letters')
  await now.fill(ADA.password)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('The password was changed. Your other sessions have ended.').first().waitFor()
  expect((await other.request.get('/api/me')).status()).toBe(401)
  await expect.poll(() => page.getByRole('button', { name: /^End the session/ }).count()).toBe(0)
  await signIn(other, { ...ADA, password: 'a third one of ten letters' })
  await page.reload()
  await page.getByRole('button', { name: 'End the session of Chrome on Linux' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'End the session of Chrome on Linux?' })
  await dialog.getByText('This session, any others and your access tokens stay as they are.').waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End them' }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' })
  expect(await rows(page, '/api/me/sessions')).toHaveLength(1)
  expect((await other.request.get('/api/me')).status()).toBe(401)
})

test('a registry is asked before its credential is kept; what is not touched is not sent', async () => {
  const page = await open()
  await signIn(page, { ...ADA, password: 'a third one of ten letters' })
  await page.goto('/settings?tab=registries')
  await page.getByRole('button', { name: 'Add a registry' }).click()
  const form = page.getByRole('dialog', { name: 'Add a registry' })
  await form.getByLabel('Host').fill(registry.host)
  await form.getByLabel('User').fill('deploy')
  await form.getByLabel('Password or token').fill('a wrong one')
  await form.getByRole('button', { name: 'Check and add' }).click()
  await form.locator('[role=alert], [aria-invalid=true]').first().waitFor()
  expect(await rows(page, '/api/registries')).toEqual([])
  await form.getByLabel('Password or token').fill('the right one')
  await form.getByRole('button', { name: 'Check and add' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('Works').waitFor()

  await page.getByRole('button', { name: `Actions for ${registry.host}` }).click()
  await page.getByRole('menuitem', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: `Change ${registry.host}` })
  await change.getByText('Set', { exact: true }).waitFor()
  await change.getByLabel('Only below').fill('team')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await change.getByRole('button', { name: 'Check and save' }).click()
  expect((await sent).postDataJSON()).toEqual({ path: 'team' })
  expect((await sent).headers()['if-match']).toBe('"1"')
  await page.getByText(`${registry.host}/team`).waitFor()

  registry.login.password = 'changed there'
  await page.getByRole('button', { name: `Check ${registry.host}/team` }).click()
  await page.getByText('Refused', { exact: true }).waitFor()
  const [kept] = await rows(page, '/api/registries')
  await page.getByText(kept.lastCheckError).waitFor()
  await page.getByRole('button', { name: `Actions for ${registry.host}/team` }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Forget it' }).click()
  await page.getByText('There are no private registries').waitFor()
  expect(await rows(page, '/api/registries')).toEqual([])
})

test('members, registries and destinations go on where the API ends its page, when somebody asks for more', async () => {
  const { world } = stage
  const org = await world.org('Crowd')
  await world.person(org.id, 'viewer')
  const bucket = { kind: 's3_compatible', bucket: 'backups', accessKeyId: 'k', secretAccessKey: 's' }
  for (const name of ['one', 'two']) {
    await org.owner.api('POST', '/api/registries', { host: registry.host, path: name, ...registry.login })
    await org.owner.api('POST', '/api/backup-destinations', { ...bucket, name })
  }
  const page = await stage.open({ storageState: await signedInAs(world, org.owner) })
  // A page of the API is of one row here: the same, with less to make.
  await page.route(/limit=200/, (route) =>
    route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
  )
  for (const path of ['/settings?tab=members', '/settings?tab=registries', '/backups']) {
    await page.goto(path)
    const rows = page.getByRole('button', { name: /^Actions for / })
    await rows.first().waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByRole('button', { name: 'Show older' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('button', { name: 'Show older' }).waitFor({ state: 'detached' })
  }
})

test('the names of all projects are one question, narrowed in the address, and go on where the API ends its page', async () => {
  const { world } = stage
  const org = await world.org('Names')
  const ids: string[] = []
  for (const name of ['one', 'two']) {
    const { id: projectId } = (await org.owner.api('POST', '/api/projects', { name })).body
    const host = `${name}.example.org`
    await platform.db.insertInto('hostName').values({ host, orgId: org.id, projectId, kind: 'custom' }).execute()
    await platform.db.insertInto('hostPath').values({ host, pathPrefix: '', service: 'web', port: 80 }).execute()
    ids.push(projectId)
  }
  const page = await stage.open({ storageState: await signedInAs(world, org.owner) })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.route(/api\/domains/, (route) =>
    route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
  )
  await page.goto('/domains')
  const names = page.locator('#main').getByRole('listitem')
  await expect.poll(() => names.allTextContents()).toEqual([expect.stringMatching(/^one\.example\.org.*one$/)])
  await page.getByRole('button', { name: 'Show more' }).click()
  await names.filter({ hasText: 'two.example.org' }).getByRole('link', { name: 'two' }).waitFor()
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  expect(asked.filter((path) => /^\/api\/projects\/.*\/domains$/.test(path))).toEqual([])
  await page.goto(`/domains?project=${ids[1]}`)
  await expect.poll(() => names.allTextContents()).toEqual([expect.stringMatching(/^two\.example\.org/)])
})
