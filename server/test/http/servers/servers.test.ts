import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { processorMs } from '../../../../test-kit/processor.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { openEngineTarget } from '../../../src/core/servers/open-engine-target.ts'
import * as servers from '../../../src/core/servers/store.ts'
import { makeDeployment } from '../../deployments/made.ts'

const engine = labPart('engine')
const host1 = labPart('host1')
// What is wrong with a host is played by ports of this machine.
const world = await startWorld({ localEngine: engine.socket, allowedNetworks: ['127.0.0.0/8'] })
const org = await world.org()
const { api } = org.owner
const privateKey = readFileSync(host1.keyFile, 'utf8')
const host = {
  kind: 'ssh',
  host: host1.address,
  port: host1.port,
  user: host1.user,
  socketPath: host1.remoteSocket,
  privateKey,
}
let made = 0

async function add(body: object = {}) {
  const answer = await api('POST', '/api/servers', { ...host, name: `host ${++made}`, ...body })
  expect(answer.status).toBe(201)
  return answer.body
}
type Check = { name: string; state: string; found: string; fix: string | null }
const check = async (id: string) => {
  const { status, body } = await api('POST', `/api/servers/${id}/check`)
  expect(status).toBe(200)
  const checks = Object.fromEntries(body.report.checks.map((line: Check) => [line.name, line]))
  return { ...body, checks } as {
    report: Record<string, never>
    server: Record<string, never>
    checks: Record<string, Check>
  }
}

test('the local engine is looked at through its socket', async () => {
  const server = (await api('POST', '/api/servers', { kind: 'local', name: 'here' })).body
  const { report, checks } = await check(server.id)
  expect(report).toMatchObject({ ok: true, swarm: 'active', engineVersion: expect.stringMatching(/^26\./) })
  expect(checks.disk?.found).toMatch(/GiB free of/)
  expect((await api('GET', `/api/servers/${server.id}`)).body.lastReport.ok).toBe(true)
})

test('the local engine serves one organization', async () => {
  const other = await world.org('Other')
  const answer = await other.owner.api('POST', '/api/servers', { kind: 'local', name: 'mine too' })
  expect([answer.status, answer.body.code]).toEqual([409, 'engine_taken'])
})

test('an instance may keep its engine to itself, and a cloud always does', async () => {
  const closed = await startWorld({ localEngine: null })
  const { owner } = await closed.org()
  const answer = await owner.api('POST', '/api/servers', { kind: 'local', name: 'here' })
  expect([answer.status, answer.body.code]).toEqual([400, 'local_engine_unavailable'])
})

test('the first check over SSH pins the host key it shows; the key stays sealed', async () => {
  const server = await add()
  expect(server.hostKey).toBeNull()
  const { server: checked, report, checks } = await check(server.id)
  expect(report).toMatchObject({
    ok: true,
    swarm: 'active',
    memoryBytes: expect.any(Number),
    portsInUse: expect.any(Array),
  })
  expect(checked.hostKey).toMatch(/^ssh-ed25519 SHA256:/)
  expect(checks.connection?.found).toContain(checked.hostKey)
  const stored = await world.platform.pool.query('select * from server where id = $1', [server.id])
  const everywhere = JSON.stringify([stored.rows, server, checked, (await api('GET', '/api/audit')).body])
  expect(everywhere).not.toContain(privateKey.split('\n')[1])
  expect(stored.rows[0].private_key).toMatch(/^v1\./)
})

test('another host key than the pinned one fails and is never taken over', async () => {
  const hostKey = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
  const server = await add({ hostKey })
  for (let i = 0; i < 2; i++) {
    const { server: checked, checks } = await check(server.id)
    const found = expect.stringContaining(`${hostKey} is the confirmed one`)
    expect(checks.connection).toMatchObject({ state: 'failed', found, fix: expect.any(String) })
    expect(checked.hostKey).toBe(hostKey)
  }
})

test('a new address forgets the pinned key, because it is another machine', async () => {
  const server = await add()
  await check(server.id)
  const moved = await api('PATCH', `/api/servers/${server.id}`, { host: labPart('host2').address })
  expect(moved.body).toMatchObject({ hostKey: null, lastReport: null })
})

test('without a key of yours Slipway makes one and shows the public half', async () => {
  const { privateKey: _, ...rest } = host
  const { body } = await api('POST', '/api/servers', { ...rest, name: 'generated' })
  expect(body.publicKey).toMatch(/^ssh-ed25519 AAAA/)
  const { checks } = await check(body.id)
  expect(checks.connection).toMatchObject({ state: 'failed', fix: expect.stringContaining('authorized_keys') })
})

test('a key that cannot be read is refused at once', async () => {
  const answer = await api('POST', '/api/servers', { ...host, name: 'bad key', privateKey: 'not a key' })
  expect([answer.status, answer.body.field]).toEqual([400, 'privateKey'])
  expect(answer.text).not.toContain('not a key')
})

test('each thing that is wrong is told with what to do, never as an error', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((done) => silent.once('listening', done))
  const { port } = silent.address() as { port: number }
  const cases: [object, string][] = [
    [{ host: '127.0.0.1', port: 1 }, 'connection'],
    [{ host: 'no-such-host.invalid' }, 'connection'],
    [{ host: '127.0.0.1', port }, 'connection'],
    [{ user: 'nobody' }, 'connection'],
    [{ socketPath: '/var/run/nothing.sock' }, 'engine'],
  ]
  const found = await Promise.all(cases.map(async ([body]) => check((await add(body)).id)))
  silent.close()
  for (const [i, { report, checks }] of found.entries()) {
    const name = cases[i]?.[1] ?? ''
    expect(report.ok).toBe(false)
    expect(checks[name]).toMatchObject({ state: 'failed', found: expect.any(String), fix: expect.any(String) })
  }
})

test('what a server allows is as the mode has it until somebody says otherwise, setting by setting', async () => {
  const server = await add()
  const open = { hostPorts: true, localImages: true, remoteAdd: true }
  const none = { maxMemoryMb: null, maxCpus: null, maxPids: null }
  expect(server.policy).toEqual({ ...open, ...none })
  const patch = (policy: object) => api('PATCH', `/api/servers/${server.id}`, { policy })
  const [one, two] = await Promise.all([patch({ hostPorts: false }), patch({ maxMemoryMb: 1024, maxPids: 100 })])
  expect([one.status, two.status]).toEqual([200, 200])
  const said = (await api('GET', `/api/servers/${server.id}`)).body
  expect(said.policy).toEqual({ ...open, ...none, hostPorts: false, maxMemoryMb: 1024, maxPids: 100 })
  // How it is reached has not changed: what was found out about it still holds.
  await check(server.id)
  expect((await patch({ hostPorts: null, maxPids: null })).body).toMatchObject({
    policy: { hostPorts: true, maxMemoryMb: 1024, maxPids: null },
    lastReport: { ok: true },
  })
  expect((await patch({ maxPids: 1 })).status).toBe(400)
  expect((await api('GET', '/api/audit')).text).toContain('"hostPorts":false')
})

test('the local engine, too, has a policy of its own; in a cloud it allows nothing beyond containers', async () => {
  const cloud = await startWorld({ mode: 'cloud' })
  const { owner } = await cloud.org()
  const made = await owner.api('POST', '/api/servers', { ...host, name: 'far' })
  expect(made.body.policy).toMatchObject({ hostPorts: false, localImages: false, remoteAdd: false })
})

test('a check tells of old versions, of volumes and services of before, and of what containers must not reach', async () => {
  const { checks } = await check((await add()).id)
  for (const name of ['patches', 'volumes', 'privileges', 'metadata'])
    expect(checks[name]?.state).toMatch(/^(ok|warning)$/)
  expect(checks.volumes?.state).toBe('ok')
})

test('a server that projects use is not forgotten', async () => {
  const server = await add()
  const project = (await api('POST', '/api/projects', { name: 'runs there', serverId: server.id })).body
  const refused = await api('DELETE', `/api/servers/${server.id}`)
  expect([refused.status, refused.body.code]).toEqual([409, 'server_in_use'])
  expect(refused.body.error).toContain('runs there')
  await api('PATCH', `/api/projects/${project.id}`, { serverId: null })
  expect((await api('DELETE', `/api/servers/${server.id}`)).status).toBe(200)
})

test.each([
  [{ host: '-oProxyCommand=touch /tmp/x' }, 'host'],
  [{ host: 'a b' }, 'host'],
  [{ user: '-l root' }, 'user'],
  [{ socketPath: 'docker.sock' }, 'socketPath'],
  [{ socketPath: '/var/run/$(id)' }, 'socketPath'],
  [{ hostKey: 'anything' }, 'hostKey'],
  [{ port: 0 }, 'port'],
])('%j is refused', async (body, field) => {
  const answer = await api('POST', '/api/servers', { ...host, name: 'refused', ...body })
  expect([answer.status, answer.body.field]).toEqual([400, field])
})

test('adding the local engine, which is root on this machine, needs server:admin', async () => {
  const developer = await world.person(org.id, 'developer')
  const answer = await developer.api('POST', '/api/servers', { kind: 'local', name: 'mine' })
  expect([answer.status, answer.body.requires]).toEqual([403, 'server:admin'])
})

test('a private key that would take a minute to open is refused at once', async () => {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const rounds = Buffer.alloc(4)
  rounds.writeUInt32BE(2000)
  const options = Buffer.concat([field(Buffer.alloc(16)), rounds])
  const body = [
    Buffer.from('openssh-key-v1\0'),
    field(Buffer.from('aes256-ctr')),
    field(Buffer.from('bcrypt')),
    field(options),
  ]
  const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${Buffer.concat(body).toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
  const taken = await processorMs(async () => {
    const answer = await api('POST', '/api/servers', { ...host, name: 'slow key', privateKey: pem, passphrase: 'x' })
    expect([answer.status, answer.body.field]).toEqual([400, 'privateKey'])
  })
  expect(taken).toBeLessThan(1000)
})

test('a server that deployments were made on is not deleted, and the answer says what holds it', async () => {
  const org = await world.org()
  const { id, projectId } = await makeDeployment(world, org, { ended: new Date() })
  const { body: deployment } = await org.owner.api('GET', `/api/deployments/${id}`)
  const { body: project } = await org.owner.api('GET', `/api/projects/${projectId}`)
  const [{ id: server }] = (await org.owner.api('GET', '/api/servers')).body.data
  expect([deployment.projectId, project.serverId]).toEqual([projectId, null])
  const { status, body } = await org.owner.api('DELETE', `/api/servers/${server}`)
  expect([status, body.code]).toEqual([409, 'server_in_use'])
  expect(body.error).toContain(project.name)
  expect((await org.owner.api('DELETE', `/api/deployments/${id}`)).status).toBe(200)
  expect((await org.owner.api('DELETE', `/api/servers/${server}`)).status).toBe(200)
})

test('the local engine is looked for where this process was told, whatever it was when the server was added', async () => {
  const other = await world.org()
  await makeDeployment(world, other)
  const [row] = await servers.firstTwo(world.platform.db, other.id)
  if (!row) throw new Error('no server')
  const stored = { ...row, kind: 'local' as const, socketPath: '/gone/docker.sock' }
  expect(openEngineTarget(world.platform, stored)).toMatchObject({ kind: 'local', socketPath: engine.socket })
})
