import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../test-kit/runtime.ts'
import { until } from '../../../../test-kit/until.ts'
import { engineConnections } from '../engine/connections.ts'
import type { EngineTarget } from '../engine/engine.ts'
import { hostKeyOfLine } from '../ssh/host-key.ts'
import type { RolloutState } from './rollout/outcome.ts'

/** On a server over SSH, through a relay that counts connections and can cut them. */
let engine: EngineTarget & { kind: 'ssh' }
let relay: Server
let opened = 0
const wires = new Set<Socket>()
const runtime = trialRuntime({ instance: 'test-ssh' })
const project = `prj_r${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()

beforeAll(async () => {
  const { address, port, user, keyFile, hostKeyFile, remoteSocket } = labPart('host1')
  relay = createServer((near) => {
    opened++
    const far = connect(port, address)
    for (const wire of [near, far]) wires.add(wire.on('error', () => {}).on('close', () => wires.delete(wire)))
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const hostKey = hostKeyOfLine(readFileSync(hostKeyFile, 'utf8'))
  const way = { host: '127.0.0.1', port: (relay.address() as AddressInfo).port }
  const ssh = { ...way, user, privateKey: readFileSync(keyFile, 'utf8'), hostKey }
  engine = { kind: 'ssh', ssh, socketPath: remoteSocket }
})

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
  await until('all connections to be closed', 45_000, async () => wires.size === 0)
  relay.close()
}, 60_000)

function cut(): void {
  for (const wire of wires) wire.resetAndDestroy()
}

function spec(service: string, deployment: string, mode: 'good' | 'exit') {
  return trialSpec({ project, service, deployment }, mode, { monitorMs: 2000 })
}

describe('over SSH', () => {
  test('a whole life of a service takes one connection', async () => {
    opened = 0
    const key = { project, service: 'web' }
    expect(await runtime.apply(engine, spec('web', 'v1', 'good'), { signal })).toMatchObject({ did: 'created' })
    expect(await runtime.watch(engine, key, { deployment: 'v1', signal })).toMatchObject({ outcome: 'healthy' })
    await runtime.apply(engine, spec('web', 'v2', 'exit'), { signal })
    expect(await runtime.watch(engine, key, { deployment: 'v2', signal })).toMatchObject({
      outcome: 'rolled-back',
      cause: { reason: 'exit', detail: 'code 3', lines: expect.arrayContaining(['fatal: DATABASE_URL is missing']) },
    })
    const [usage] = await runtime.usage(engine, { project }, { signal })
    expect(usage?.memoryBytes).toBeGreaterThan(1_000_000)
    expect(await runtime.tasks(engine, project, { signal })).toMatchObject([{ deployment: 'v1', health: 'healthy' }])
    const lines: string[] = []
    for await (const { line } of runtime.logs(engine, key, { signal })) lines.push(line)
    expect(lines).toContain('listening v1')
    expect(opened).toBe(1)
  }, 60_000)

  test('a connection that is cut in the middle of a rollout or a log is opened again', async () => {
    const key = { project, service: 'cut' }
    const states: RolloutState[] = []
    const chatty = { ...spec('cut', 'v1', 'good'), environment: { MODE: 'good', VERSION: 'v1', CHAT_MS: '100' } }
    await runtime.apply(engine, chatty, { signal })
    const end = runtime.watch(engine, key, { deployment: 'v1', signal, onState: (state) => void states.push(state) })
    await until('a first look', 45_000, async () => states.length > 0)
    cut()
    expect(await end).toMatchObject({ outcome: 'healthy', failures: 0 })
    const numbers: number[] = []
    for await (const { line, stream } of runtime.logs(engine, key, { signal, follow: true })) {
      if (stream === 'stdout' && line.startsWith('line')) numbers.push(Number(line.split(' ')[2]))
      if (numbers.length === 10) cut()
      if (numbers.length >= 60) break
    }
    // Neither lost nor given twice.
    expect(numbers).toEqual(numbers.map((_, index) => index))
  }, 60_000)

  test('a connection that nobody uses is closed, and a dead one is noticed only by the next who works', async () => {
    const connections = engineConnections({ idleMs: 200 })
    const ping = () => connections.use(engine, { signal, deadlineMs: 5000 }, async ({ version }) => version.Version)
    opened = 0
    await Promise.all([ping(), ping(), ping()])
    expect(opened).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 400))
    await ping()
    expect(opened).toBe(2)
    connections.close()
    await expect(ping()).rejects.toThrow('closed')
  })

  test('a key that is refused ends a watch at once', async () => {
    const other = { ...engine, ssh: { ...engine.ssh, hostKey: `ssh-ed25519 SHA256:${'A'.repeat(43)}` } }
    const watch = runtime.watch(other, { project, service: 'web' }, { deployment: 'v1', signal })
    await expect(watch).rejects.toMatchObject({ code: 'host_key_mismatch' })
  })

  test("a caller who leaves gets his own reason, and the others' connection stays", async () => {
    opened = 0
    await runtime.observe(engine, project, { signal })
    const stop = new AbortController()
    const watch = runtime.watch(engine, { project, service: 'none' }, { deployment: 'v9', signal: stop.signal })
    stop.abort(new Error('no longer wanted'))
    await expect(watch).rejects.toThrow('no longer wanted')
    await runtime.observe(engine, project, { signal })
    expect(opened).toBeLessThanOrEqual(1)
  })
})
