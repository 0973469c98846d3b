import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { hostKeyOfLine } from '../../../server/src/drivers/ssh/host-key.ts'
import { composeLabels, createContainer } from '../../../server/test/http/migration/stage.ts'
import { openStage, signedInAs } from '../stage.ts'

const stage = await openStage({ localEngine: labPart('engine').socket })
const { world } = stage
const org = await world.org('Machines')
const { api } = org.owner
const storageState = await signedInAs(world, org.owner)
const { address, port, user, keyFile, hostKeyFile, remoteSocket: socketPath } = labPart('host1')
const hostKey = hostKeyOfLine(readFileSync(hostKeyFile, 'utf8'))
const OTHER = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
const tag = `adopted${process.pid}`
const made: Awaited<ReturnType<typeof createContainer>>[] = []
const stateOf = (one: (typeof made)[number] | undefined) => one?.inspect().then(({ State }) => State)

beforeAll(async () => {
  const labels = { Labels: composeLabels(tag, 'web', '/srv/nowhere'), HostConfig: { NetworkMode: 'none' } }
  made.push(await createContainer('host1', `${tag}-web-1`, labels))
  made.push(await createContainer('host1', `${tag}-vpn`, { HostConfig: { NetworkMode: 'host' } }))
})
afterAll(async () => {
  for (const one of made) await one.remove()
})

test('a server over SSH: its key and the command, the host key before it is pinned, the check, and a key that changed', async () => {
  const page = await stage.open({ storageState })
  await page.goto('/servers')
  await page.getByRole('button', { name: 'Use this machine' }).waitFor()
  await page.getByRole('button', { name: 'Add a server' }).click()
  await page.waitForURL('**/servers?add=ssh')
  const dialog = page.getByRole('dialog', { name: 'Add a server over SSH' })
  await dialog.getByLabel('Name').fill('fra-1')
  await dialog.getByLabel('Host', { exact: true }).fill('not a host!')
  await dialog.getByLabel('User').fill(user)
  await dialog.getByLabel('Port').fill(String(port))
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('must be a host name or an address').waitFor()
  await dialog.getByLabel('Host', { exact: true }).fill(address)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { level: 1, name: 'fra-1' }).waitFor()
  const [server] = (await api('GET', '/api/servers')).body.data
  await page.getByText(`${user}@${address}`, { exact: false }).first().waitFor()
  await page.getByText('mkdir -p ~/.ssh; cat >> ~/.ssh/authorized_keys').waitFor()
  await page.getByText(server.publicKey, { exact: true }).waitFor()

  await page.getByLabel('What it prints').fill('nonsense')
  await page.getByRole('button', { name: 'Take this key and no other' }).click()
  await page.getByText('That is no fingerprint').waitFor()
  await page.getByLabel('What it prints').fill(`256 ${hostKey.split(' ')[1]} root@fra-1 (ED25519)`)
  await page.getByRole('button', { name: 'Take this key and no other' }).click()
  await page.getByText('Pinned: a server that shows another key is not spoken to').waitFor()
  const at = `/api/servers/${server.id}`
  expect((await api('GET', at)).body.hostKey).toBe(hostKey)

  // What the command would do on the machine, whose keys are the lab's: the server gets one that it knows.
  await api('PATCH', at, { privateKey: readFileSync(keyFile, 'utf8'), socketPath })
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('SSH works, host key').waitFor()
  expect((await api('GET', at)).body.lastReport.checks[0]).toMatchObject({ name: 'connection', state: 'ok' })

  await api('PATCH', at, { hostKey: OTHER })
  await page.reload()
  await page.getByRole('button', { name: 'Check' }).click()
  const changed = page.getByRole('region', { name: 'Another host key' })
  await changed.waitFor()
  expect(await changed.textContent()).toContain(OTHER)
  expect(await changed.textContent()).toContain(hostKey)
  await changed.getByRole('button', { name: 'Take the new key' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take it' }).click()
  await page.getByText('SSH works, host key').waitFor()
  await changed.waitFor({ state: 'detached' })
  expect((await api('GET', at)).body.hostKey).toBe(hostKey)
})

test('a server gets another name and another place; what was left alone is not sent, and another host is another machine', async () => {
  const hostKey = OTHER
  const body = { kind: 'ssh', name: 'ams-1', host: '192.0.2.20', user: 'deploy', hostKey }
  const { id } = (await api('POST', '/api/servers', body)).body
  const page = await stage.open({ storageState })
  await page.goto(`/servers/${id}`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Change ams-1' })
  await form.getByText('Another host or port is another machine').waitFor()
  await form.getByLabel('Name').fill('fra-1')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.locator('[aria-invalid=true]').waitFor()
  await form.getByLabel('Name').fill('ams-2')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await form.getByRole('button', { name: 'Save' }).click()
  expect((await sent).postDataJSON()).toEqual({ name: 'ams-2' })
  await page.getByRole('heading', { level: 1, name: 'ams-2' }).waitFor()
  expect((await api('GET', `/api/servers/${id}`)).body).toMatchObject({ host: '192.0.2.20', hostKey })

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const again = page.getByRole('dialog', { name: 'Change ams-2' })
  await again.getByLabel('Host').fill('192.0.2.21')
  await again.getByLabel('Port').fill('2222')
  // Somebody else was faster: their change is told, and stays.
  await api('PATCH', `/api/servers/${id}`, { user: 'ship' })
  await again.getByRole('button', { name: 'Save' }).click()
  await again.getByText('the user is now “ship”, it was “deploy”').waitFor()
  await again.getByRole('button', { name: 'Save' }).click()
  await again.waitFor({ state: 'detached' })
  await page.getByText('ship@192.0.2.21:2222').first().waitFor()
  expect((await api('GET', `/api/servers/${id}`)).body).toMatchObject({ port: 2222, user: 'ship', hostKey: null })
  await api('DELETE', `/api/servers/${id}`)
})

test('what runs already is looked at, told apart with reasons, and recorded as a project; the server stays as it was', async () => {
  const page = await stage.open({ storageState })
  await page.goto('/servers')
  await page.getByRole('link', { name: /fra-1/ }).click()
  const before = await stateOf(made[0])
  await page.getByRole('link', { name: 'Look at it' }).click()
  await page.getByText('Nothing on fra-1 has been changed.').waitFor()
  const vpn = page.getByRole('listitem').filter({ hasText: `${tag}-vpn` })
  await vpn.getByText(/^No: /).first().waitFor()
  expect(await page.getByRole('checkbox', { name: `${tag}-vpn` }).count()).toBe(0)
  await page.getByRole('checkbox', { name: tag, exact: true }).check()
  expect(await page.getByLabel('Name of the project').inputValue()).toBe(tag)
  await page.getByLabel('Name of the project').fill('blog')
  await page.getByRole('button', { name: 'Create the project' }).click()
  await page.getByText('1 service recorded as blog').waitFor()
  const { body } = await api('GET', '/api/projects')
  expect(body.data).toMatchObject([{ name: 'blog', active: null }])
  expect(await stateOf(made[0])).toEqual(before)
})

test('a server that is used says why it stays, and one that is not is removed', async () => {
  const page = await stage.open({ storageState })
  const [server] = (await api('GET', '/api/servers')).body.data
  await page.goto(`/servers/${server.id}`)
  await page.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Remove fra-1?' })
  await dialog.getByText('Containers and volumes on it are not touched').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByText('Projects still use this server: blog.').waitFor()
  expect((await api('GET', '/api/servers')).body.data).toHaveLength(1)
  const [blog] = (await api('GET', '/api/projects')).body.data
  await api('DELETE', `/api/projects/${blog.id}`)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.waitForURL('**/servers')
  await page.getByRole('button', { name: 'Use this machine' }).waitFor()
  expect((await api('GET', '/api/servers')).body.data).toEqual([])
})
