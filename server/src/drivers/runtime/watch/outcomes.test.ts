import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { applyNowhere, trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import type { ServiceKey } from '../labels.ts'
import type { Outcome, WatchOptions } from '../rollout/outcome.ts'
import type { ServiceSpec } from '../rollout/spec.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = 'test-outcomes'
const runtime = trialRuntime({ instance })
const project = `prj_r${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
})

type Mode = Parameters<typeof trialSpec>[1]
type More = Partial<ServiceSpec>

async function apply(service: string, deployment: string, mode: Mode, more: More & { interrupt?: boolean } = {}) {
  const { interrupt = false, ...spec } = more
  return runtime.apply(engine, trialSpec({ project, service, deployment }, mode, spec), { signal, interrupt })
}

function watch(service: string, deployment: string, more: Partial<WatchOptions> = {}): Promise<Outcome> {
  const key: ServiceKey = { project, service }
  return runtime.watch(engine, key, {
    deployment,
    signal,
    stableMs: 7000,
    pendingMs: 4000,
    deadlineMs: 180_000,
    ...more,
  })
}

/** A service whose first version runs. */
async function seeded(service: string, more: More = {}) {
  await apply(service, 'v1', 'good', more)
  expect(await watch(service, 'v1', { stableMs: 300 })).toMatchObject({ outcome: 'healthy' })
}

const created =
  (mode: Mode, more: More = {}, options: Partial<WatchOptions> = {}) =>
  async (service: string) => {
    await apply(service, 'v1', mode, more)
    return watch(service, 'v1', options)
  }
const updated =
  (mode: Mode, more: More = {}, { stableMs = 7000, ...first }: More & { stableMs?: number } = {}) =>
  async (service: string) => {
    await seeded(service, first)
    await apply(service, 'v2', mode, more)
    return watch(service, 'v2', { stableMs })
  }

type Expected = { outcome: Outcome['outcome']; reason?: string; restored?: string; detail?: RegExp; lines?: RegExp }
type Case = [name: string, run: (service: string) => Promise<Outcome>, expected: Expected]

const slow = { environment: { BOOT_MS: '9000' }, healthcheck: { ...trial().healthcheck, startPeriodMs: 40_000 } }
const nowhere = { image: 'slipway.invalid/prj_rnone:1' }
const port = (published: number) => ({ ports: [{ target: 8080, published, protocol: 'tcp' as const }] })

function trial() {
  return trialSpec({ project, service: 'x', deployment: 'v1' }, 'good')
}

const onCreate: Case[] = [
  ['a good one is healthy', created('good'), { outcome: 'healthy' }],
  ['one that starts slowly is healthy', created('good', slow), { outcome: 'healthy' }],
  [
    'one that exits at once never came up',
    created('exit'),
    { outcome: 'never-came-up', reason: 'exit', detail: /^code 3$/, lines: /DATABASE_URL is missing/ },
  ],
  [
    'one that crashes after 3 s never came up',
    created('crash', { environment: { CRASH_MS: '3000' } }),
    { outcome: 'never-came-up', reason: 'exit', detail: /^code 7$/, lines: /lost the database/ },
  ],
  [
    'one that never listens fails its check',
    created('nolisten'),
    { outcome: 'never-came-up', reason: 'port-closed', detail: /nothing listens on port 8080; open:$/ },
  ],
  [
    'one that listens on localhost is told so',
    created('loopback', {}, { mostFailures: 1 }),
    { outcome: 'never-came-up', reason: 'port-closed', detail: /port 8080 is open only inside .*; open: 8080\/local$/ },
  ],
  [
    'one whose check says 500 fails it',
    created('sick', {}, { mostFailures: 2 }),
    { outcome: 'never-came-up', reason: 'health-check', detail: /GET \/healthz answered 500/ },
  ],
  [
    'one that takes too much memory is out of memory',
    created('oom'),
    { outcome: 'never-came-up', reason: 'out-of-memory', detail: /128000000/ },
  ],
  [
    'one without an image says which',
    created('good', nowhere),
    { outcome: 'never-came-up', reason: 'image-missing', detail: /slipway\.invalid/ },
  ],
  ['one that fits no node is stuck', nowhereFirst, { outcome: 'stuck', reason: 'no-suitable-node' }],
  [
    'one that ends with 0 and is not started again never came up',
    created('done', { restart: 'on-failure' }),
    { outcome: 'never-came-up', reason: 'exit', detail: /^code 0$/ },
  ],
  [
    'a port that a container has is taken',
    portOfContainer,
    { outcome: 'never-came-up', reason: 'port-taken', detail: /18996/ },
  ],
  [
    'a port that its own other task has is taken',
    created('good', { ...port(18_995), replicas: 2 }),
    { outcome: 'stuck', reason: 'port-taken' },
  ],
  ['a port that a service has is not waited for', portOfAnother, { outcome: 'healthy' }],
]

async function portOfAnother(service: string) {
  await seeded(`${service}-other`, port(18_997))
  await expect(apply(service, 'v1', 'good', port(18_997))).rejects.toMatchObject({ code: 'port_taken' })
  expect((await runtime.observe(engine, project, { signal })).map((one) => one.service)).not.toContain(service)
  return watch(`${service}-other`, 'v1')
}

/** One that was started by hand: Swarm does not know of it. */
async function portOfContainer(service: string) {
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  const HostConfig = { PortBindings: { '80/tcp': [{ HostPort: '18996' }] } }
  const body = { Image: 'busybox:1', Cmd: ['sleep', '600'], ExposedPorts: { '80/tcp': {} }, HostConfig }
  const { Id } = await callEngine<{ Id: string }>(docker, { method: 'POST', path: '/containers/create', body }, signal)
  try {
    await callEngine(docker, { method: 'POST', path: `/containers/${Id}/start` }, signal)
    return await created('good', port(18_996))(service)
  } finally {
    await callEngine(docker, { method: 'DELETE', path: `/containers/${Id}`, query: { force: true } }, signal)
    close()
  }
}

const back = { outcome: 'rolled-back', restored: 'v1' } as const
const onUpdate: Case[] = [
  ['good to good is healthy', updated('good'), { outcome: 'healthy' }],
  ['good to exit goes back', updated('exit'), { ...back, reason: 'exit', lines: /DATABASE_URL/ }],
  [
    'good to a crash after 3 s goes back',
    updated('crash', { environment: { CRASH_MS: '3000' }, monitorMs: 20_000 }),
    { ...back, reason: 'exit' },
  ],
  [
    'good to a crash after the monitor period is unstable',
    // On a busy machine it may live longer than it is told to.
    updated('crash', { environment: { CRASH_MS: '4000' }, monitorMs: 1000 }, { stableMs: 30_000 }),
    { outcome: 'unstable', reason: 'exit' },
  ],
  [
    'good to sick after 2 s goes back',
    updated('sick-later', { environment: { CRASH_MS: '2000' }, monitorMs: 20_000 }),
    { ...back, reason: 'health-check', detail: /500/ },
  ],
  [
    'good to never listening goes back',
    updated('nolisten'),
    { ...back, reason: 'port-closed', detail: /nothing listens/ },
  ],
  ['good to a missing image goes back', updated('good', nowhere), { ...back, reason: 'image-missing' }],
  ['good to what fits no node is stuck', nowhereNext, { outcome: 'stuck', reason: 'no-suitable-node' }],
  ['good to exit goes back with stop-first too', updated('exit', { order: 'stop-first' }), { ...back, reason: 'exit' }],
  ['bad to good is healthy', afterBad('good'), { outcome: 'healthy' }],
  [
    'bad to bad leaves nothing that runs',
    afterBad('exit'),
    { outcome: 'rollback-failed', reason: 'exit', restored: 'v1' },
  ],
  ['with the same content is healthy', redeployed, { outcome: 'healthy' }],
]

async function nowhereFirst(service: string) {
  await applyNowhere(engine, instance, trialSpec({ project, service, deployment: 'v1' }, 'good'))
  return watch(service, 'v1')
}

async function nowhereNext(service: string) {
  await seeded(service)
  await applyNowhere(engine, instance, trialSpec({ project, service, deployment: 'v2' }, 'good'))
  return watch(service, 'v2')
}

function afterBad(mode: Mode) {
  return async (service: string) => {
    await apply(service, 'v1', 'exit')
    expect(await watch(service, 'v1')).toMatchObject({ outcome: 'never-came-up' })
    await apply(service, 'v2', mode)
    return watch(service, 'v2')
  }
}

async function redeployed(service: string) {
  const same = { environment: { VERSION: 'same' } }
  await seeded(service, same)
  expect(await apply(service, 'v2', 'good', same)).toMatchObject({ did: 'updated', previous: { deployment: 'v1' } })
  const [first, second] = await Promise.all([watch(service, 'v1'), watch(service, 'v2')])
  expect(first).toMatchObject({ outcome: 'superseded', restored: 'v2' })
  return second
}

const onInterruption: Case[] = [
  ['a second update over a bad one: the first is superseded', overBad, { outcome: 'healthy' }],
  ['a second update over a good one: the first is superseded', overGood, { outcome: 'healthy' }],
  ['a service that is removed in the middle is removed', removedMeanwhile, { outcome: 'removed' }],
  ['two writers at once: one wins, the other is refused', twoWriters, { outcome: 'healthy' }],
  ['a watch that starts late says the same', watchedLate, { ...back, reason: 'exit' }],
]

/** The engine does not go back from it by itself before the case is over. */
const lenient = { healthcheck: { ...trial().healthcheck, startPeriodMs: 120_000 } }

const underWay = (service: string, version: string) =>
  until(`a task of ${version}`, 45_000, async () => {
    const tasks = await runtime.tasks(engine, project, { signal })
    return tasks.some((task) => task.service === service && task.deployment === version)
  })

/** Without `interrupt` this is refused; with it the engine must not come back to the bad one. */
async function overBad(service: string) {
  await seeded(service)
  await apply(service, 'v2', 'nolisten', lenient)
  const first = watch(service, 'v2')
  await underWay(service, 'v2')
  await expect(apply(service, 'v3', 'good')).rejects.toMatchObject({ code: 'update_running' })
  await apply(service, 'v3', 'good', { interrupt: true })
  expect(await first).toMatchObject({ outcome: 'superseded' })
  return watch(service, 'v3')
}

async function overGood(service: string) {
  await seeded(service, { replicas: 2 })
  await apply(service, 'v2', 'good', { replicas: 2 })
  const first = watch(service, 'v2')
  await underWay(service, 'v2')
  await apply(service, 'v3', 'good', { replicas: 2, interrupt: true })
  expect(await first).toMatchObject({ outcome: 'superseded' })
  return watch(service, 'v3')
}

async function removedMeanwhile(service: string) {
  await seeded(service)
  await apply(service, 'v2', 'nolisten', lenient)
  const end = watch(service, 'v2')
  await underWay(service, 'v2')
  await runtime.remove(engine, { project, service }, { signal, deployments: 'any', wait: false })
  return end
}

async function twoWriters(service: string) {
  await seeded(service)
  const both = await Promise.allSettled(['v2', 'v3'].map((version) => apply(service, version, 'good')))
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'update_running' } })
  return watch(service, both[0]?.status === 'fulfilled' ? 'v2' : 'v3')
}

async function watchedLate(service: string) {
  await seeded(service)
  await apply(service, 'v2', 'exit')
  await until('the engine to go back', 45_000, async () => {
    const [found] = (await runtime.observe(engine, project, { signal })).filter((one) => one.service === service)
    return found?.deployment === 'v1' && !found.updating
  })
  return watch(service, 'v2')
}

/** More at a time than vitest runs: they mostly wait. */
const MOST_AT_ONCE = 9
const running = new Map<Case, Promise<Outcome>>()
const all = [...onInterruption, ...onUpdate, ...onCreate]

beforeAll(() => {
  const queue = all.map((one, index) => ({ one, service: `case-${index}`, ...Promise.withResolvers<Outcome>() }))
  for (const { one, promise } of queue) running.set(one, promise)
  for (const { promise } of queue) promise.catch(() => {})
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { one, service, resolve, reject } = next
      await one[1](service).then(resolve, reject)
      // The next case gets the machine, not what this one left behind.
      await runtime.remove(engine, { project, service }, { signal, deployments: 'any', wait: false }).catch(() => {})
    }
  }
  for (let worker = 0; worker < MOST_AT_ONCE; worker++) void work()
})

test('an engine that does not answer is given up in the end, and the outcome says so', async () => {
  const nowhere = { kind: 'local', socketPath: '/nowhere/docker.sock' } as const
  const options = { deployment: 'v1', signal, awayMs: 800 }
  const found = await runtime.watch(nowhere, { project, service: 'x' }, options)
  expect(found).toMatchObject({
    outcome: 'stuck',
    cause: { reason: 'no-answer', detail: expect.stringContaining('no Docker socket') },
  })
})

describe.for([
  ['creating', onCreate],
  ['updating', onUpdate],
  ['in the middle', onInterruption],
] as const)('%s', ([, cases]) => {
  test.for(cases)('%s', { timeout: 300_000 }, async (one) => {
    const found = await running.get(one)
    const expected = one[2]
    expect(found).toMatchObject({ outcome: expected.outcome, restored: expected.restored ?? null })
    expect(found?.cause?.reason).toBe(expected.reason)
    if (expected.detail) expect(found?.cause?.detail).toMatch(expected.detail)
    if (expected.lines) expect(found?.cause?.lines.join('\n')).toMatch(expected.lines)
  })
})
