import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'

// Another machine of the lab stands in for what containers must not reach: no request leaves the lab.
const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const { address, port } = labPart('host2')
const blocked = { networks: [`${address}/32`], image: 'busybox:1' }
const instance = `test-guard-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance, blocked })
const project = `prj_g${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  for (const { from, to } of await rules()) await onMachine('ip', 'rule', 'del', 'from', from, 'to', to)
  runtime.close()
}, 60_000)

const onMachine = async (...Cmd: string[]): Promise<string> => {
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  const HostConfig = { NetworkMode: 'host', CapAdd: ['NET_ADMIN'] }
  const body = { Image: 'busybox:1', Cmd, Tty: true, HostConfig }
  const { Id } = await callEngine<{ Id: string }>(docker, { method: 'POST', path: '/containers/create', body }, signal)
  try {
    await callEngine(docker, { method: 'POST', path: `/containers/${Id}/start` }, signal)
    await callEngine(docker, { method: 'POST', path: `/containers/${Id}/wait` }, signal)
    return String(await callEngine(docker, { path: `/containers/${Id}/logs`, query: { stdout: true } }, signal))
  } finally {
    await callEngine(docker, { method: 'DELETE', path: `/containers/${Id}`, query: { force: true } }, signal)
    close()
  }
}

const rules = async () =>
  [...(await onMachine('ip', 'rule')).matchAll(/from (\S+) to (\S+)/g)]
    .map(([, from = '', to = '']) => ({ from, to }))
    .filter(({ to }) => to.startsWith(address))

let tries = 0
/** What a container of a project hears from that machine. */
async function reached(): Promise<string> {
  const script = `const s = require('net').connect(${port}, '${address}').on('connect', () => end('open')).on('error', (e) => end(e.code)); const end = (w) => { console.log(w); s.destroy() }`
  const own = { entrypoint: ['node', '-e', script], job: true, restart: 'never' as const }
  const spec = trialSpec({ project, service: `try${++tries}`, deployment: 'v1' }, 'good', own)
  await runtime.apply(engine, spec, { signal })
  return until('what it heard', 45_000, async () => {
    const lines: string[] = []
    for await (const { line } of runtime.logs(engine, spec, { signal, tail: 1 })) lines.push(line)
    return lines[0]
  })
}

test('containers do not reach a network that is the machine’s own affair, and the machine itself does', async () => {
  expect(await reached()).toBe('open')
  expect(await runtime.guard(engine, { signal })).toEqual({ blocked: blocked.networks, open: [] })
  expect(await reached()).toMatch(/^E(HOSTUNREACH|NETUNREACH|ACCES)$/)
  expect(await onMachine('ip', 'route', 'get', address)).toContain(`${address} dev`)
  const made = await rules()
  expect(made.length).toBeGreaterThan(0)
  // Once more writes nothing.
  await runtime.guard(engine, { signal })
  expect(await rules()).toEqual(made)
  // What all containers of a user id have together is no longer what stops them.
  expect(Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'))).toBeGreaterThanOrEqual(65_536)
}, 120_000)
