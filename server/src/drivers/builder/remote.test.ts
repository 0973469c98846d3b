import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { type Bench, openBench } from '../../../../test-kit/builder.ts'
import { processesCalled } from '../../../../test-kit/processes.ts'
import type { EngineTarget } from '../engine/engine.ts'
import { hostKeyOfLine } from '../ssh/host-key.ts'

let bench: Bench
let target: EngineTarget & { kind: 'ssh' }
const base = 'FROM busybox:1'
const fresh = () => `: ${Math.random()};`
const uncommon = () => `${100 + Math.random() * 800}`.slice(0, 12)

beforeAll(() => {
  const host = labPart('host1')
  const hostKey = hostKeyOfLine(readFileSync(host.hostKeyFile, 'utf8'))
  const privateKey = readFileSync(host.keyFile, 'utf8')
  const ssh = { host: host.address, port: host.port, user: host.user, privateKey, hostKey }
  target = { kind: 'ssh', ssh, socketPath: host.remoteSocket }
  bench = openBench({ ...host, target })
})
afterAll(() => bench.close())

describe('an engine behind SSH', () => {
  test('builds from a directory here, under its own limits, and answers again from its cache', async () => {
    const project = bench.project()
    await bench.write(project, { 'large.bin': 'x'.repeat(5_000_000) })
    const text = `${base}\nCOPY large.bin /\nRUN ${fresh()} wc -c < /large.bin; hostname -f; cat /proc/self/cgroup\n`
    const first = await bench.run(bench.request(project, text))
    expect(first.result.ok).toBe(true)
    expect(first.lines[0]).toBe('5000000')
    expect(first.lines.join()).toContain(`/slipway/${project}/`)
    const second = await bench.run(bench.request(project, text))
    expect(second.result).toMatchObject({ ok: true })
    expect(second.result.steps.find(({ name }) => name.includes('RUN'))?.cached).toBe(true)
  })

  test('holds what a step allocates to the limit', async () => {
    const text = `${base}\nRUN ${fresh()} awk 'BEGIN { s = "x"; for (i = 0; i < 32; i++) s = s s }'\n`
    const limits = { memoryBytes: 64 << 20, cpus: 1, pids: 50 }
    const { result } = await bench.run(bench.request(bench.project(), text, { limits }))
    expect(result).toMatchObject({ ok: false, failure: { exitCode: 137, line: 2 } })
  })

  test('ends a cancelled build at once', async () => {
    const nap = uncommon()
    const stop = new AbortController()
    const building = bench.run(bench.request(bench.project(), `${base}\nRUN sleep ${nap}\n`), stop.signal)
    await expect.poll(() => processesCalled('sleep', nap)).toHaveLength(1)
    stop.abort()
    // It would sleep for minutes.
    await expect.poll(() => processesCalled('sleep', nap)).toEqual([])
    expect((await building).result).toMatchObject({ ok: false, failure: { cancelled: true } })
  })

  test('whose connection breaks ends the build there, and here it is no fault of the source', async () => {
    const nap = uncommon()
    const wire = await openWire(target.ssh.host, target.ssh.port)
    const engine = { ...target, ssh: { ...target.ssh, host: '127.0.0.1', port: wire.port } }
    const building = bench.run(bench.request(bench.project(), `${base}\nRUN sleep ${nap}\n`, { engine }))
    const outcome = expect(building).rejects.toMatchObject({ code: 'connection_lost' })
    await expect.poll(() => processesCalled('sleep', nap)).toHaveLength(1)
    wire.cut()
    await outcome
    await expect.poll(() => processesCalled('sleep', nap)).toEqual([])
    // It waits for the engine to come back for a while, to end what runs there.
  }, 60_000)
})

describe('no engine behind SSH', () => {
  test.for([
    [
      'a missing socket',
      '/no/such.sock',
      { code: 'engine_unreachable', message: expect.stringContaining('no Docker socket') },
    ],
    ['a file in its place', '/etc/hostname', { code: 'engine_unreachable' }],
  ] as const)('is told from a broken build: %s', async ([, socketPath, failure]) => {
    const engine = { ...target, socketPath }
    await expect(bench.run(bench.request(bench.project(), base, { engine }))).rejects.toMatchObject(failure)
  })

  test('a server whose key is another one is not talked to', async () => {
    const ssh = { ...target.ssh, hostKey: `ssh-ed25519 SHA256:${'A'.repeat(43)}` }
    const building = bench.run(bench.request(bench.project(), base, { engine: { ...target, ssh } }))
    await expect(building).rejects.toMatchObject({ code: 'host_key_mismatch' })
  })
})

/** Between us and the server, so that a test can cut it. */
async function openWire(host: string, port: number) {
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ host, port, noDelay: true })
    near.pipe(far).pipe(near)
    for (const end of [near, far]) ends.add(end.on('error', () => {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    server.close()
    for (const end of ends) end.resetAndDestroy()
  }
  return { port: (server.address() as AddressInfo).port, cut }
}
