import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import type { RolloutState } from './outcome.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const runtime = trialRuntime({ instance: 'test-grow' })
const project = `prj_g${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
})

const REPLICAS = 7
const spec = (service: string, deployment: string, replicas = REPLICAS) =>
  trialSpec({ project, service, deployment }, 'good', { replicas })
const options = (deployment: string) => ({ deployment, stableMs: 300, deadlineMs: 180_000 })
const observed = async (wanted: string) =>
  (await runtime.observe(engine, project, { signal })).find(({ service }) => service === wanted)?.replicas

/** Those that the engine has begun to start and that do not run yet. */
const starting = ({ tasks }: RolloutState) =>
  Object.entries(tasks).reduce((sum, [state, count]) => sum + (state === 'running' ? 0 : count), 0)

test('replicas are started one after the other, and the rollout is healthy when all of them run', {
  timeout: 240_000,
}, async () => {
  const states: RolloutState[] = []
  await runtime.apply(engine, spec('crowd', 'v1'), { signal })
  expect(await observed('crowd')).toMatchObject({ wanted: REPLICAS })
  const onState = (state: RolloutState) => states.push(state)
  const outcome = await runtime.watch(engine, { project, service: 'crowd' }, { ...options('v1'), signal, onState })
  expect(outcome).toMatchObject({ outcome: 'healthy', failures: 0 })
  expect(Math.max(...states.map(starting))).toBeLessThanOrEqual(4)
  expect(states[0]).toMatchObject({ wanted: REPLICAS })
  expect(await observed('crowd')).toEqual({ wanted: REPLICAS, running: REPLICAS })
  // What runs is updated as it is, and none of it is taken away before.
  await runtime.apply(engine, spec('crowd', 'v2'), { signal })
  expect(await observed('crowd')).toMatchObject({ wanted: REPLICAS, running: REPLICAS })
})

test('a watch that ends in the middle leaves the rest to the next one', { timeout: 240_000 }, async () => {
  const gone = new AbortController()
  const key = { project, service: 'resumed' }
  const { did } = await runtime.apply(engine, spec('resumed', 'v1'), { signal })
  expect(did).toBe('created')
  const onState = ({ running }: RolloutState) => running >= 3 && gone.abort(new Error('died'))
  await expect(runtime.watch(engine, key, { ...options('v1'), signal: gone.signal, onState })).rejects.toThrow('died')
  expect(await runtime.apply(engine, spec('resumed', 'v1'), { signal })).toMatchObject({
    did: 'unchanged',
    previous: null,
  })
  expect(await runtime.watch(engine, key, { ...options('v1'), signal })).toMatchObject({ outcome: 'healthy' })
  expect(await observed('resumed')).toEqual({ wanted: REPLICAS, running: REPLICAS })
})
