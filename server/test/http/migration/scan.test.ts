import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MigrationService, MigrationStack } from '@slipway/contract/migration-shape'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { dockerApi } from '../../../../lab/docker.ts'
import { partDir } from '../../../../lab/paths.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { addServer, composeLabels, createContainer } from './stage.ts'

// A server that says nothing is played by a port of this machine.
const world = await startWorld({ allowedNetworks: ['127.0.0.0/8'] })
const org = await world.org()
const { api } = org.owner
const SECRET = 'never-to-be-seen-7'
const tag = `scan${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'slipway-scan-'))
const made: Awaited<ReturnType<typeof createContainer>>[] = []
let server: string

beforeAll(async () => {
  server = await addServer(org, 'host1')
  writeFileSync(
    join(folder, 'compose.yaml'),
    `services: {web: {image: busybox:1, command: [sleep, "3600"], environment: {PASSWORD: ${SECRET}}, network_mode: none, volumes: ["data:/data"]}, gone: {image: x}}\nvolumes: {data: {}}\n`,
  )
  const web = {
    Labels: composeLabels(tag, 'web', folder, { token: SECRET }),
    Env: [`PASSWORD=${SECRET}`],
    HostConfig: { NetworkMode: 'none', Binds: [`${tag}_data:/data`] },
  }
  made.push(await createContainer('host1', `${tag}-web-1`, web))
  const socket = { HostConfig: { Binds: ['/var/run/docker.sock:/sock:ro'] }, Env: ['ODD\u001b[31m=1', '__proto__=1'] }
  made.push(await createContainer('host1', `${tag}-loose`, socket))
})
afterAll(async () => {
  for (const one of made) await one.remove()
  await dockerApi(labPart('host1').socket, 'DELETE', `/volumes/${tag}_data`).catch(() => {})
  rmSync(folder, { recursive: true })
})

const scan = (body: object = { serverId: server }) => api('POST', '/api/migration/scan', body)
const stackOf = (stack: MigrationStack) => stack.composeStacks.find(({ name }) => name === tag)

test('a scan finds stacks, their files and loose containers, with what stands in the way of each', async () => {
  const { status, body } = await scan()
  expect([status, body.success]).toEqual([200, true])
  const stack: MigrationStack = body.stack
  expect(stack.server).toMatchObject({ engineVersion: expect.stringMatching(/^26\./), swarm: 'active', manager: true })
  expect(stackOf(stack)).toMatchObject({
    maker: 'compose v2',
    workingDir: folder,
    files: [{ path: `${folder}/compose.yaml`, found: true, reason: null, matches: false }],
    differences: [{ service: 'gone', kind: 'not_running' }],
    services: [
      {
        key: `compose/${tag}/web`,
        serviceName: 'web',
        command: ['sleep', '3600'],
        environment: expect.arrayContaining(['PASSWORD']),
        volumes: [{ name: `${tag}_data`, target: '/data', kind: 'volume', existing: true }],
        adoptable: true,
        reasons: [],
      },
    ],
  })
  const loose = stack.containers.find(({ name }: MigrationService) => name === `${tag}-loose`)
  expect(loose).toMatchObject({ key: `container/${tag}-loose`, adoptable: false, reasons: [{ key: 'volumes' }] })
  expect(loose?.environment).toEqual(expect.arrayContaining(['__proto__', 'ODD\ufffd[31m']))
  expect(stack.volumes.find(({ name }) => name === `${tag}_data`)).toMatchObject({
    anonymous: false,
    sizeBytes: null,
    usedBy: [`compose/${tag}/web`],
    ours: false,
  })
})

test('no value of a variable or of a label is in the answer, in the audit log or in the database', async () => {
  const { text } = await scan()
  const { text: audit } = await api('GET', '/api/audit')
  expect(audit).toContain('server.scan')
  expect(`${text}${audit}`).not.toContain(SECRET)
})

test('sizes of volumes are told when they are asked for', async () => {
  const { body } = await scan({ serverId: server, sizes: true })
  const volume = body.stack.volumes.find(({ name }: { name: string }) => name === `${tag}_data`)
  expect(volume.sizeBytes).toEqual(expect.any(Number))
})

test('what is inspected is the same before and after', async () => {
  const before = await Promise.all(made.map((one) => one.inspect()))
  await scan()
  expect(await Promise.all(made.map((one) => one.inspect()))).toEqual(before)
})

test.each([
  [{}, 'serverId'],
  [{ serverId: '' }, 'serverId'],
  [{ serverId: 7 }, 'serverId'],
])('%j is refused, and the field is named', async (body, field) => {
  const answer = await scan(body)
  expect([answer.status, answer.body.field]).toEqual([400, field])
})

test('a server of another organization, or none, is not found, before anything happens', async () => {
  const other = await world.org('Other')
  const theirs = await other.owner.api('POST', '/api/migration/scan', { serverId: server })
  expect([theirs.status, theirs.body.code]).toEqual([404, 'not_found'])
  expect((await scan({ serverId: 'srv_none' })).status).toBe(404)
})

test('server:write is needed', async () => {
  const viewer = await world.person(org.id, 'viewer')
  const answer = await viewer.api('POST', '/api/migration/scan', { serverId: server })
  expect([answer.status, answer.body.requires]).toEqual([403, 'server:write'])
})

test.each([
  ['nothing listens', { port: 1 }, 'Nothing accepts connections at'],
  ['another host key', { hostKey: `ssh-ed25519 SHA256:${'A'.repeat(43)}` }, 'is the confirmed one'],
  ['an unknown user', { user: 'nobody' }, 'did not accept the key for the user nobody'],
  ['a name that is none', { host: 'no-such-host.invalid' }, 'could not be resolved'],
  ['no engine', { socketPath: '/var/run/nothing.sock' }, 'There is no Docker socket at'],
])('%s: 502 with the reason', async (_, change, words) => {
  const id = await addServer(org, 'host1', change)
  const answer = await scan({ serverId: id })
  expect([answer.status, answer.body.code]).toEqual([502, 'server_unreachable'])
  expect(answer.body.error).toContain(words)
  expect(answer.body.hint).toMatch(/^[A-Z]/)
})

test('an engine that has stopped, a user who may not use it and a server that says nothing: 502 with the reason', async () => {
  const dead = join(folder, 'dead.sock')
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', script, dead])
  // Whoever is known to the machine and in no group.
  appendFileSync(join(partDir('host1'), 'etc/_etc_shadow'), 'daemon:*:19000:0:99999:7:::\n')
  chmodSync(join(partDir('host1'), 'ssh'), 0o755)
  chmodSync(join(partDir('host1'), 'ssh/authorized_keys'), 0o644)
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((listening) => silent.once('listening', listening))
  const { port } = silent.address() as { port: number }
  const rows: [object, string][] = [
    [{ socketPath: dead }, 'No Docker Engine listens at'],
    [{ user: 'daemon' }, 'The user daemon may not use the Docker socket'],
    [{ host: '127.0.0.1', port }, 'did not answer within 15 s'],
  ]
  const answers = await Promise.all(
    rows.map(async ([change]) => scan({ serverId: await addServer(org, 'host1', change) })),
  )
  silent.close()
  for (const [n, { status, body }] of answers.entries()) {
    expect([status, body.code]).toEqual([502, 'server_unreachable'])
    expect(body.error).toContain(rows[n]?.[1])
  }
})

test('an engine that serves another organization is not looked at', async () => {
  const { socket } = labPart('host1')
  const name = `${world.config.instance}-owner`
  const labels = { 'slipway.instance': world.config.instance, 'slipway.org': 'org_other' }
  const { ID } = JSON.parse(
    await dockerApi(socket, 'POST', '/configs/create', { Name: name, Labels: labels, Data: 'eA==' }),
  )
  try {
    const answer = await scan()
    expect([answer.status, answer.body.error]).toEqual([502, 'The engine of this server serves another organization.'])
  } finally {
    await dockerApi(socket, 'DELETE', `/configs/${ID}`)
  }
})

test('in cloud mode there is no such path', async () => {
  const cloud = await startWorld({ mode: 'cloud' })
  const { owner } = await cloud.org()
  for (const path of ['/api/migration/scan', '/api/migration/adopt']) {
    const answer = await owner.api('POST', path, { serverId: 'srv_x' })
    expect([answer.status, answer.body.code]).toEqual([404, 'route_not_found'])
  }
})
