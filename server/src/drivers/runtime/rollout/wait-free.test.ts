import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { ContainerAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import { having, LABEL } from '../labels.ts'
import type { ServiceSpec } from './spec.ts'
import type { Leaving } from './wait-free.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = `test-free-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance })
const project = `prj_f${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 30_000 })
const volume = `${instance}-data`

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  await until('the volume is free', 45_000, async () =>
    runtime.volumes.remove(engine, project, volume, { signal }).catch(() => undefined),
  )
  runtime.close()
  close()
}, 90_000)

/** Writes a heartbeat into its volume, and does not listen to SIGTERM: it ends when the grace period does. */
const deaf = (service: string, deployment: string, more: Partial<ServiceSpec> = {}): ServiceSpec =>
  trialSpec({ project, service, deployment }, 'term-deaf', {
    entrypoint: ['node', '-e', `${heartbeat}`],
    stopGraceMs: 6000,
    volumes: [{ name: volume, target: '/data', readOnly: false }],
    healthcheck: { kind: 'none', intervalMs: 1000, timeoutMs: 1000, retries: 1, startPeriodMs: 0 },
    ...more,
  })
const heartbeat = `
process.on('SIGTERM', () => {});
const { VERSION } = process.env, fs = require('fs');
setInterval(() => fs.appendFileSync('/data/beats', VERSION + '\\n'), 50);
`
const containers = () =>
  callEngine<ContainerAnswer[]>(
    docker,
    { path: '/containers/json', query: { filters: having({ [LABEL.instance]: instance, [LABEL.project]: project }) } },
    signal,
  )
const running = async () =>
  (await containers()).filter(({ State }) => State === 'running').map(({ Labels }) => Labels[LABEL.deployment] ?? '')

/** The most containers of the project that ran at the same time while something went on. */
async function mostAtOnce<T>(work: Promise<T>): Promise<{ result: T; most: number }> {
  let [most, done] = [0, false]
  const ending = work.finally(() => {
    done = true
  })
  while (!done) {
    most = Math.max(most, (await running()).length)
    await new Promise((next) => setTimeout(next, 20))
  }
  return { result: await ending, most }
}

async function killedWhileItWaits(service: string, deployment: string): Promise<void> {
  const owner = new AbortController()
  const removal = runtime.remove(engine, { project, service }, { signal: owner.signal, deployments: [deployment] })
  removal.catch(() => {})
  await until('the service is gone', 45_000, async () =>
    (await runtime.observe(engine, project, { signal })).every((one) => one.service !== service),
  )
  owner.abort(new Error('killed'))
  await expect(removal).rejects.toThrow('killed')
}

test('whoever comes after an owner that was killed during a removal starts nothing beside the container that is ending', async () => {
  await runtime.apply(engine, deaf('db', 'v1'), { signal })
  await until('it runs', 45_000, async () => (await running()).includes('v1'))
  await killedWhileItWaits('db', 'v1')
  expect(await running(), 'the container is in its grace period').toEqual(['v1'])

  const waits: Leaving[] = []
  const next = (async () => {
    await runtime.apply(engine, deaf('db', 'v2'), { signal, onWait: (leaving) => waits.push(leaving) })
    await until('the next one runs', 45_000, async () => (await running()).includes('v2'))
  })()
  const { most } = await mostAtOnce(next)
  expect(most).toBe(1)
  expect(waits).toEqual([{ services: ['db'], containers: 1 }])
}, 120_000)

test('a service of another name that wants the same volume waits for the end of its last writer, and one that does not starts at once', async () => {
  await until('one runs', 45_000, async () => (await running()).length === 1)
  await killedWhileItWaits('db', 'v2')
  const waits: Leaving[] = []
  const onWait = (leaving: Leaving) => waits.push(leaving)
  await runtime.apply(engine, deaf('beside', 'v3', { volumes: [] }), { signal, onWait })
  expect(waits).toEqual([])
  expect(await running()).toContain('v2')
  await runtime.apply(engine, deaf('database', 'v4'), { signal, onWait })
  expect(waits).toEqual([{ services: ['db'], containers: 1 }])
  expect(await running()).not.toContain('v2')
}, 120_000)
