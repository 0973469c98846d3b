import { expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { engineSays, released } from '../engine-says.ts'
import { seed } from '../seed.ts'
import { joinAs, openStage } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const stage = await openStage()
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids, projects } = await seed(stage.world, made.orgId, stage.world.as)
const said = engineSays(stage.world, made.orgId)
const open = (options = {}) => stage.open({ storageState: signedIn, ...options })
const shop = projects.shop ?? ''
const at = (tab?: string, id = shop) => `/projects/${id}${tab ? `?tab=${tab}` : ''}`
const member = await stage.world.platform.db
  .selectFrom('member')
  .select('userId')
  .where('orgId', '=', made.orgId)
  .executeTakeFirstOrThrow()
const api = stage.world.as(await stage.world.tokenFor({ orgId: made.orgId, userId: member.userId }))

test('a project says what serves and since when it was looked at, what is under way, and what happened last', async () => {
  const now146 = { deployment: ids['shop#146'] ?? '', since: new Date(Date.now() - 3 * 3_600_000).toISOString() }
  await released(stage.world, shop, now146.deployment, ['web', 'api', 'worker'])
  said.services = [
    { service: 'web', ...now146, replicas: { wanted: 2, running: 2, healthy: 2 } },
    {
      service: 'worker',
      ...now146,
      deployment: ids['shop#145'] ?? '',
      replicas: { wanted: 1, running: 1, healthy: 1 },
    },
  ]
  const page = await open()
  await page.goto('/')
  await page.getByRole('heading', { level: 3, name: 'shop' }).getByRole('link').click()
  await page.waitForURL(`**${at()}`)
  const serving = page.getByRole('region', { name: 'Serving' })
  await serving.getByText('looked at just now').waitFor()
  expect(await serving.locator('tbody tr').allTextContents()).toEqual([
    expect.stringMatching(/^web#1462\/2 healthy3 h ago/),
    expect.stringMatching(/^worker#1451\/1 healthynot what #146 has of it/),
    expect.stringMatching(/^api–Nothing runspart of #146/),
  ])
  await page.getByRole('region', { name: 'Under way' }).getByText('#148').waitFor()
  expect(await page.getByRole('region', { name: 'Deployments' }).getByRole('listitem').count()).toBe(8)
  // The engine falls silent: what it said stays, with its time.
  said.reason = 'The engine did not answer in time.'
  await page.reload()
  await serving.getByText(/^As of \d\d:\d\d.* The engine did not answer in time\./).waitFor()
  expect(await serving.locator('tbody tr').count()).toBe(3)
  said.reason = null
  // From the palette and from a deployment one comes to the same page.
  await page.goto(`/deployments/${ids['docs#45']}`)
  await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'docs' }).click()
  await page.getByRole('heading', { level: 1, name: 'docs' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('shop')
  await page.getByRole('option', { name: 'shop project' }).click()
  // The palette was a dialog until a moment ago: the heading has the focus all the same.
  await page.locator('h1:focus', { hasText: 'shop' }).waitFor()
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByText('490 MB of 512 MB').waitFor()
  expect(new URL(page.url()).search).toBe('?tab=usage')
  const sides = page.getByRole('navigation', { name: 'Sides of the project' })
  expect(await sides.locator('[aria-current]').allTextContents()).toEqual(['Usage'])
  await page.getByRole('link', { name: 'Logs' }).click()
  await page.getByRole('log').waitFor()
  await page.getByPlaceholder(/^Find/).fill('timeout')
  await page.waitForURL(`**${at('logs')}&find=timeout`)
})

test('what does not go now says why in the menu, and paused pushes are resumed where it is said that they are', async () => {
  const page = await open()
  await page.goto(at())
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  const commit = page.getByRole('menuitem', { name: /^Latest commit/ })
  expect(await commit.textContent()).toContain('No repository is linked.')
  await page.keyboard.press('Escape')
  await api('PATCH', `/api/projects/${shop}`, { repository: 'https://git.example.com/acme/shop.git', branch: 'main' })
  await platform.db.updateTable('project').set({ autoDeployPaused: true }).where('id', '=', shop).execute()
  await page.reload()
  await page.getByText('Pushes are not deployed: somebody went back, or a release did not hold.').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('auto-deploy on').waitFor()
  expect((await api('GET', `/api/projects/${shop}`)).body.autoDeployPaused).toBe(false)
  await page.locator('#main').getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Set a credential' }).click()
  await page.getByLabel('Token').fill('a-token-of-the-git-host')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('A token is stored. It is not shown.').waitFor()
  expect((await api('GET', `/api/projects/${shop}`)).body.gitCredential.kind).toBe('token')
})

test('a name is added, says what its records are and should be, is found to be right, and is removed', async () => {
  said.addresses = { 'www.example.com': ['203.0.113.9'] }
  const page = await open()
  await page.goto(at('domains'))
  await page.getByRole('button', { name: 'Add a domain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a domain' })
  await dialog.getByLabel('Name').fill('not a name')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Name').fill('www.example.com')
  await dialog.getByLabel('Port').fill('3000')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('www.example.com leads to 203.0.113.9; set A 192.0.2.10 instead.').waitFor()
  const record = page.getByRole('row', { name: /^A www.example.com/ })
  expect(await record.textContent()).toMatch(/203\.0\.113\.9.*192\.0\.2\.10/)
  await page.getByText(/again in \d+ s/).waitFor()
  expect((await api('GET', `/api/projects/${shop}/domains`)).body.data).toMatchObject([
    { host: 'www.example.com', service: 'web', port: 3000, https: 'redirect' },
  ])
  said.addresses['www.example.com'] = ['192.0.2.10']
  await page.getByRole('button', { name: 'Look now' }).click()
  await page.getByText('www.example.com leads here.').waitFor()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Domains' }).click()
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'www.example.com' }).getByRole('link', { name: 'shop' }).click()
  await page.getByRole('button', { name: 'More about www.example.com' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const asked = page.getByRole('alertdialog', { name: 'Remove www.example.com?' })
  await asked.getByText('Anyone may take the name then').waitFor()
  await asked.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No name leads here').waitFor()
  expect((await api('GET', `/api/projects/${shop}/domains`)).body.data).toEqual([])
})

test('variables are added, pasted, shown to who may, changed without being shown, and removed', async () => {
  const page = await open()
  await page.goto(at('variables'))
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('1WRONG')
  await form.getByLabel('Value').fill('first')
  await form.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => form.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
  await form.getByLabel('Name').fill('API_KEY')
  await form.getByLabel('Service').selectOption('web')
  await form.getByLabel('Used when').selectOption('runtime')
  await form.getByRole('button', { name: 'Add' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Paste an .env' }).click()
  await form.getByLabel('Its text').fill('# ours\nDATABASE_URL="postgres://db"\nexport MODE=live\n')
  await form.getByText('DATABASE_URL, MODE').waitFor()
  await form.getByRole('button', { name: 'Set 2 variables' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('DATABASE_URL').waitFor()
  expect(await page.getByText('postgres://db').count()).toBe(0)
  await page.getByRole('button', { name: 'Show values' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Show values' }).click()
  await page.getByText('postgres://db').waitFor()
  await page.getByRole('button', { name: 'Hide values' }).click()
  await page.getByRole('button', { name: 'More about API_KEY' }).click()
  await page.getByRole('menuitem', { name: 'Change' }).click()
  expect(await form.getByLabel('New value').inputValue()).toBe('')
  await form.getByLabel('New value').fill('second')
  await form.getByRole('button', { name: 'Change' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More about MODE' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('MODE', { exact: true }).waitFor({ state: 'detached' })
  const { variables } = (await api('POST', `/api/projects/${shop}/variables/reveal`)).body
  expect(
    variables.map(({ name, value, service, scope }: Record<string, string>) => [name, value, service, scope]),
  ).toEqual(
    expect.arrayContaining([
      ['API_KEY', 'second', 'web', 'runtime'],
      ['DATABASE_URL', 'postgres://db', null, 'all'],
    ]),
  )
  expect(variables).toHaveLength(2)
})

test('a service is described, changed without losing what the form has no field for, and removed', async () => {
  said.volumes = [{ name: 'slipway-shop-data', key: 'data', createdAt: null }]
  const page = await open()
  await page.goto(at('services'))
  await page.getByText('slipway-shop-data').waitFor()
  await page.getByRole('button', { name: 'Describe a service' }).click()
  const form = page.getByRole('dialog')
  await form.getByText('others are left out').waitFor()
  await form.getByLabel('Replicas').fill('2')
  await form.getByLabel('Memory (MB)').fill('2')
  await form.getByRole('button', { name: 'Save' }).click()
  // The browser itself holds what is out of range back, at its field.
  await form.locator('input[name=memoryMb]:invalid').waitFor()
  await form.getByLabel('Memory (MB)').fill('256')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 replicas · 256 MB').waitFor()
  const config = { replicas: 2, memoryMb: 256, command: ['node', 'x.js'], dependsOn: ['web'] }
  await api('PUT', `/api/projects/${shop}/services/api`, config)
  await page.reload()
  await page.getByRole('button', { name: 'Change api' }).click()
  await form.getByLabel('Replicas').fill('3')
  await form.getByLabel('Path', { exact: true }).fill('/healthz')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('3 replicas · 256 MB · checked at /healthz · after web').waitFor()
  const { data } = (await api('GET', `/api/projects/${shop}/services`)).body
  const found = data.find(({ name }: { name: string }) => name === 'api')
  expect(found.config).toEqual({ ...config, replicas: 3, healthcheck: { path: '/healthz' } })
  await page.getByRole('button', { name: 'More about api' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Change api' }).waitFor({ state: 'detached' })
})

test('settings that somebody else changed meanwhile are shown beside one’s own, and nothing is overwritten unseen', async () => {
  const page = await open()
  await page.goto(at('settings', projects.docs))
  await page.getByLabel('Name').fill('handbook')
  await page.getByLabel('Watched for (s)').fill('30')
  await api('PATCH', `/api/projects/${projects.docs}`, { name: 'manual', settings: { rollbackWindow: 9 } })
  await page.getByRole('button', { name: 'Save' }).click()
  const clash = page.getByRole('alert').filter({ hasText: 'Somebody else changed the project meanwhile.' })
  await clash.getByRole('row', { name: 'Name manual handbook' }).waitFor()
  expect((await api('GET', `/api/projects/${projects.docs}`)).body.name).toBe('manual')
  await clash.getByRole('button', { name: 'Save what I changed' }).click()
  await page.getByText('Saved. The next deployment is made with it.').waitFor()
  expect((await api('GET', `/api/projects/${projects.docs}`)).body).toMatchObject({
    name: 'handbook',
    settings: { rollbackWindow: 9, bakeSeconds: 30 },
  })
  // Who leaves with something unsaved is asked.
  await page.getByLabel('Branch', { exact: true }).fill('next')
  await page.getByRole('link', { name: 'Variables' }).click()
  await page
    .getByRole('alertdialog', { name: 'Leave without saving?' })
    .getByRole('button', { name: 'Leave it' })
    .click()
  expect(await page.getByLabel('Branch', { exact: true }).inputValue()).toBe('next')
})

test('a project is deleted by whoever types its name and has read what goes and what stays', async () => {
  const { id } = (await api('POST', '/api/projects', { name: 'old' })).body
  const page = await open()
  await page.goto(at('settings', id))
  await page.getByRole('button', { name: 'Delete the project' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete old?' })
  await dialog.getByText('Its volumes stay on the server').waitFor()
  await dialog.getByText('It has no volumes that the engines show.').waitFor()
  const verb = dialog.getByRole('button', { name: 'Delete the project' })
  expect(await verb.isDisabled()).toBe(true)
  await dialog.getByLabel('Type old to go on').fill('old')
  await verb.click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect((await api('GET', `/api/projects/${id}`)).status).toBe(404)
  // What runs is stopped first; where that is refused, nothing else is done, and the dialog says why.
  const asked: string[] = []
  await page.route('**/api/deployments/*?force=true', (route) => {
    asked.push(route.request().method())
    const refusal = { success: false, error: 'Another deployment is under way.', code: 'not_now', requestId: 'req_1' }
    return route.fulfill({ status: 400, json: refusal })
  })
  await page.goto(at('settings', projects.billing))
  await page.getByRole('button', { name: 'Delete the project' }).click()
  const other = page.getByRole('alertdialog', { name: 'Delete billing?' })
  await other.getByText('What runs of #43 is stopped first').waitFor()
  await other.getByLabel('Delete them too').check()
  await other.getByText('Nothing brings that back.').waitFor()
  await other.getByLabel('Type billing to go on').fill('billing')
  await other.getByRole('button', { name: 'Delete the project' }).click()
  await other.getByRole('alert').filter({ hasText: 'Another deployment is under way.' }).waitFor()
  expect(asked).toEqual(['DELETE'])
  expect((await api('GET', `/api/projects/${projects.billing}`)).status).toBe(200)
})

test('what the cloud has is given back where it is shown, and what a server lent is taken back', async () => {
  const { orgId } = made
  const { id: projectId } = (await api('POST', '/api/projects', { name: 'promoted' })).body
  const dns = [{ host: 'promoted.example.com', type: 'A', now: ['192.0.2.10'], wanted: ['198.51.100.7'] }]
  const promotion = { id: newId('dep'), orgId, projectId, state: 'promoted', asked: '{}', createdBy: '{}' }
  await platform.db
    .insertInto('promotion')
    .values({ ...promotion, dns: JSON.stringify(dns), finishedAt: new Date() } as never)
    .execute()
  const there = { target: 'cloud', cloudProjectId: newId('prj') }
  await platform.db
    .updateTable('project')
    .set(there as never)
    .where('id', '=', projectId)
    .execute()
  const serverId = (await api('GET', '/api/servers')).body.data[0].id
  const grant = { id: newId('gnt'), orgId, projectId, serverId, engineId: 'e', kind: 'path', source: '/srv/blog' }
  await platform.db
    .insertInto('mountGrant')
    .values({ ...grant, writable: true, createdBy: 'Ada' } as never)
    .execute()
  const page = await open()
  await page.goto(at('settings', projectId))
  await page.getByText('The hosted cloud has it as well').waitFor()
  await page.goto(at('services', projectId))
  await page.getByRole('button', { name: 'Take /srv/blog back' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take back' }).click()
  await page.getByText('taken back by').waitFor()
  await page.goto(at(undefined, projectId))
  const cloud = page.getByRole('region', { name: 'The hosted cloud' })
  await cloud.getByText('A promoted.example.com').waitFor()
  await cloud.getByRole('button', { name: 'Give it back' }).click()
  const asked = page.getByRole('alertdialog')
  await asked.getByText('It is deployed here from then on.').waitFor()
  await asked.getByRole('button', { name: 'Give it back' }).click()
  // Nothing links this organization to the cloud any more, so whoever may there has to delete it.
  await page.getByText('The organization is not linked to a hosted cloud any more').waitFor()
  await cloud.waitFor({ state: 'detached' })
  expect((await api('GET', `/api/projects/${projectId}`)).body.target).toBe('server')
})

test('somebody who may only look reads at each button why it cannot be pressed', async () => {
  await platform.db.updateTable('member').set({ role: 'viewer' }).where('orgId', '=', made.orgId).execute()
  const page = await open()
  await page.goto(at('variables'))
  await page.getByText('Your role viewer may not do this: it needs project:write.').first().waitFor()
  expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true)
  await page.goto(at('settings'))
  await page.getByText('Your role viewer may not do this: it needs project:admin.').waitFor()
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  expect(await page.getByRole('menuitem', { name: 'A folder' }).textContent()).toContain('deployment:write')
})
