import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import type { ServiceSpec } from '../rollout/spec.ts'

/** What a spec says, as a process in a real container sees it. */
const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const runtime = trialRuntime({ instance: 'test-inside' })
const project = `prj_i${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
}, 60_000)

/** Tells about itself in one line, and stays. */
const witness = `
const fs = require('fs'), os = require('os'), read = (path) => fs.readFileSync(path, 'utf8')
const status = Object.fromEntries(read('/proc/self/status').split('\\n').map((line) => line.split(':\\t')))
let writable = true
try { fs.writeFileSync('/written', '') } catch { writable = false }
const memory = fs.statfsSync('/scratch')
console.log('WITNESS' + JSON.stringify({
  hostname: os.hostname(),
  groups: process.getgroups(),
  capabilities: status.CapEff,
  noNewPrivileges: status.NoNewPrivs,
  stack: /^Max stack size +(\\d+) +(\\d+)/m.exec(read('/proc/self/limits')).slice(1),
  somaxconn: read('/proc/sys/net/core/somaxconn').trim(),
  hosts: /^10.9.8.7\\s+(\\S+)/m.exec(read('/etc/hosts'))?.[1],
  resolv: read('/etc/resolv.conf'),
  tty: process.stdout.isTTY === true,
  writable,
  scratch: { size: memory.blocks * memory.bsize, mode: (fs.statSync('/scratch').mode & 0o7777).toString(8) },
  braces: fs.existsSync('/{{.Node.ID}}'),
}))
setInterval(() => {}, 1000)`

const wanted: ServiceSpec = trialSpec({ project, service: 'witness', deployment: 'v1' }, 'good', {
  entrypoint: ['node', '-e', witness],
  healthcheck: {
    kind: 'command',
    argv: ['node', '-e', '0'],
    intervalMs: 5000,
    timeoutMs: 15_000,
    retries: 3,
    startPeriodMs: 30_000,
    startIntervalMs: 700,
  },
  monitorMs: 500,
  hostname: 'inner',
  groups: ['4242'],
  capabilities: { add: ['net_bind_service'], drop: ['ALL'] },
  noNewPrivileges: true,
  readOnly: true,
  tty: true,
  stdin: true,
  pids: 99,
  stopSignal: 'SIGUSR2',
  ulimits: [{ name: 'stack', soft: 1_000_000, hard: 2_000_000 }],
  sysctls: { 'net.core.somaxconn': '321' },
  hosts: [{ name: 'legacy.test', address: '10.9.8.7' }],
  dns: { servers: ['10.9.8.1'], options: ['ndots:2'], search: ['corp.test'] },
  log: { maxSize: '1m', maxFiles: 1 },
  memory: [{ target: '/scratch', sizeBytes: 1_048_576, mode: 0o1750 }, { target: '/{{.Node.ID}}' }],
  restart: 'on-failure',
  restartPolicy: { delayMs: 1300, maxAttempts: 2, windowMs: 9000 },
})

let seen: Record<string, unknown> = {}
let container: { Config: Record<string, unknown>; HostConfig: Record<string, unknown> }

beforeAll(async () => {
  await runtime.apply(engine, wanted, { signal })
  expect(await runtime.watch(engine, wanted, { deployment: 'v1', signal, stableMs: 100 })).toMatchObject({
    outcome: 'healthy',
  })
  let text = ''
  await until('what it says', 45_000, async () => {
    for await (const { line } of runtime.logs(engine, wanted, { signal, tail: 20 })) {
      if (line.includes('WITNESS')) text = line.slice(line.indexOf('WITNESS') + 7)
    }
    return text !== ''
  })
  seen = JSON.parse(text)
  const [task] = await runtime.tasks(engine, project, { signal })
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  container = await callEngine(docker, { path: `/containers/${task?.containerId}/json` }, signal)
  close()
}, 60_000)

test('its process may do what was said, and no more', () => {
  expect(seen).toMatchObject({
    capabilities: '0000000000000400',
    noNewPrivileges: '1',
    stack: ['1000000', '2000000'],
    somaxconn: '321',
    writable: false,
    tty: true,
  })
  expect(seen.groups).toContain(4242)
  expect(container.HostConfig).toMatchObject({ PidsLimit: 99 })
  expect(container.Config).toMatchObject({ OpenStdin: true, Tty: true, StopSignal: 'SIGUSR2' })
})

test('it has its names, and no template is filled in', () => {
  expect(seen).toMatchObject({ hostname: 'inner', hosts: 'legacy.test', braces: true })
  expect(seen.resolv).toMatch(/search .*corp\.test/)
  expect(seen.resolv).toMatch(/options .*ndots:2/)
  expect(container.HostConfig).toMatchObject({ Dns: ['10.9.8.1'] })
})

test('its folder in memory has its size and its mode, its log its limits, its check its pace', () => {
  expect(seen.scratch).toEqual({ size: 1_048_576, mode: '1750' })
  expect(container.HostConfig.LogConfig).toMatchObject({ Config: { 'max-size': '1m', 'max-file': '1' } })
  expect(container.Config.Healthcheck).toMatchObject({ StartInterval: 700_000_000, Interval: 5_000_000_000 })
})

test('the engine has its patience as it was said', async () => {
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  const { name } = await runtime.apply(engine, wanted, { signal })
  const { Spec } = await callEngine<{ Spec: { TaskTemplate: object } }>(docker, { path: `/services/${name}` }, signal)
  close()
  expect(Spec.TaskTemplate).toMatchObject({
    RestartPolicy: { Condition: 'on-failure', Delay: 1.3e9, MaxAttempts: 2, Window: 9e9 },
  })
})
