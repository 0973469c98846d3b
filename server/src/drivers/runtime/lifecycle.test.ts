import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../test-kit/runtime.ts'
import { until } from '../../../../test-kit/until.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = `test-life-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance })
const project = `prj_l${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
type Mode = Parameters<typeof trialSpec>[1]

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  for (const org of ['org_a', 'org_b']) await runtime.owner.release(engine, org, { signal })
  runtime.close()
}, 60_000)

const spec = (service: string, deployment: string, mode: Mode, more = {}) =>
  trialSpec({ project, service, deployment }, mode, more)

async function up(service: string, deployment = 'v1') {
  const wanted = spec(service, deployment, 'good')
  await runtime.apply(engine, wanted, { signal })
  const watched = { deployment, signal, stableMs: 100 }
  expect(await runtime.watch(engine, wanted, watched)).toMatchObject({ outcome: 'healthy' })
  return wanted
}

describe.concurrent('a rollout', { timeout: 60_000 }, () => {
  test('that the engine took back is not tried a second time by the next owner', async ({ expect }) => {
    await up('back')
    const bad = spec('back', 'v2', 'exit')
    expect(await runtime.apply(engine, bad, { signal })).toMatchObject({ did: 'updated' })
    const observed = async () =>
      (await runtime.observe(engine, project, { signal })).find(({ service }) => service === 'back')
    await until('the engine goes back', 40_000, async () => (await observed())?.deployment === 'v1')
    const again = await runtime.apply(engine, bad, { signal })
    expect(again).toMatchObject({ did: 'undone' })
    const { specHash } = again
    expect(await runtime.watch(engine, bad, { deployment: 'v2', specHash, signal })).toMatchObject({
      outcome: 'rolled-back',
      cause: { detail: 'code 3' },
    })
  })

  test('is not written by whoever has lost the right to, and then nothing has changed', async ({ expect }) => {
    await up('guarded')
    const lost = new Error('another owner has it')
    const guard = () => Promise.reject(lost)
    await expect(runtime.apply(engine, spec('guarded', 'v2', 'good'), { signal, guard })).rejects.toBe(lost)
    const restart = runtime.restart(engine, { project, service: 'guarded' }, { signal, token: 't', guard })
    await expect(restart).rejects.toBe(lost)
    await expect(runtime.apply(engine, spec('unborn', 'v1', 'good'), { signal, guard })).rejects.toBe(lost)
    const found = await runtime.observe(engine, project, { signal })
    expect(found.map(({ service, deployment }) => [service, deployment])).toContainEqual(['guarded', 'v1'])
    expect(found.map(({ service }) => service)).not.toContain('unborn')
  })

  test('that is interrupted serves again as soon as the old tasks do, which mostly never stopped', async ({
    expect,
  }) => {
    const old = await up('cancel')
    const tasks = async () =>
      (await runtime.tasks(engine, project, { signal })).filter(({ service }) => service === 'cancel')
    const before = (await tasks()).map(({ taskId }) => taskId)
    await runtime.apply(engine, spec('cancel', 'v2', 'good', { environment: { BOOT_MS: '120000' } }), { signal })
    await until('the new task starts', 45_000, async () => (await tasks()).length === 2)
    const { specHash } = await runtime.apply(engine, old, { signal, interrupt: true })
    const options = { deployment: 'v1', specHash, signal, deadlineMs: 20_000 }
    expect(await runtime.serving(engine, old, options)).toBe(true)
    expect((await tasks()).map(({ taskId }) => taskId)).toContain(before[0])
    const never = { ...options, deployment: 'v9', deadlineMs: 300 }
    expect(await runtime.serving(engine, old, never)).toBe(false)
  })
})

test('a project is withdrawn with its network, and ended containers of one deployment go alone', async () => {
  const own = `prj_w${randomBytes(4).toString('hex')}`
  const network = `p-${own.replace('_', '-')}`
  await runtime.ensureNetwork(engine, network, { signal, org: 'org_a', project: own })
  const networks = [{ name: network, aliases: [] }]
  const wanted = trialSpec({ project: own, service: 'web', deployment: 'v1' }, 'term-deaf', {
    networks,
    stopGraceMs: 90_000,
  })
  await runtime.apply(engine, wanted, { signal })
  await runtime.watch(engine, wanted, { deployment: 'v1', signal, stableMs: 100 })
  expect(await runtime.removeEnded(engine, own, { signal, deployment: 'v1' })).toEqual({ alive: 1 })
  const began = performance.now()
  const gone = await runtime.withdraw(engine, own, { signal, atOnce: true })
  // Nobody waited for its grace period.
  expect(performance.now() - began).toBeLessThan(45_000)
  expect(gone).toMatchObject({ networks: [network], services: [expect.any(String)] })
  expect(await runtime.withdraw(engine, own, { signal })).toEqual({ services: [], networks: [] })
}, 120_000)

test('an engine serves the organization that came first, until that one leaves', async () => {
  const claims = await Promise.allSettled(['org_a', 'org_b'].map((org) => runtime.owner.claim(engine, org, { signal })))
  expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const { org, engineId } = await runtime.owner.read(engine, { signal })
  const other = org === 'org_a' ? 'org_b' : 'org_a'
  expect(engineId).toEqual(expect.any(String))
  expect(await runtime.owner.claim(engine, org ?? '', { signal })).toEqual({ org, engineId, foreign: null })
  await expect(runtime.owner.claim(engine, other, { signal })).rejects.toMatchObject({ code: 'engine_taken' })
  await runtime.owner.release(engine, other, { signal })
  expect((await runtime.owner.read(engine, { signal })).org).toBe(org)
  await runtime.owner.release(engine, org ?? '', { signal })
  expect(await runtime.owner.claim(engine, other, { signal })).toMatchObject({ org: other })
})

test('an engine that another instance has marked is read, and nothing on it is changed', async () => {
  const name = `marked-${process.pid}`
  const project = `prj_m${randomBytes(4).toString('hex')}`
  const spec = (service: string, deployment: string, mode: Mode) => trialSpec({ project, service, deployment }, mode)
  const runtimeOf = (id?: string) => trialRuntime({ instance: name, id: id === undefined ? undefined : async () => id })
  const [before, original, copy] = [runtimeOf(), runtimeOf('ins_original'), runtimeOf('ins_copy')]
  const { engineId } = await before.owner.claim(engine, 'org_a', { signal })
  // From before there were ids: the first of the same organization to come adopts it.
  expect(await original.owner.claim(engine, 'org_a', { signal })).toEqual({ org: 'org_a', engineId, foreign: null })
  await original.apply(engine, spec('mine', 'v1', 'good'), { signal })
  try {
    // A copy has the same name and the same organizations.
    expect(await copy.owner.read(engine, { signal })).toEqual({ org: null, engineId, foreign: 'ins_original' })
    expect(await copy.observe(engine, project, { signal })).toHaveLength(1)
    const roots = { services: [], networks: [], images: [], before: new Date(Date.now() + 60_000) }
    const key = { project, service: 'mine' }
    const writes = [
      () => copy.owner.claim(engine, 'org_a', { signal }),
      () => copy.apply(engine, spec('mine', 'v2', 'good'), { signal }),
      () => copy.restart(engine, key, { signal, token: 't' }),
      () => copy.remove(engine, key, { signal, deployments: 'any' }),
      () => copy.withdraw(engine, project, { signal }),
      () => copy.ensureNetwork(engine, `${name}-net`, { signal, org: 'org_a' }),
      () => copy.removeNetwork(engine, `${name}-net`, { signal }),
      () => copy.removeEnded(engine, project, { signal }),
      () => copy.removeStrays(engine, { signal, before: new Date() }),
      () => copy.collectGarbage(engine, roots, { signal }),
      () => copy.images.remove(engine, 'slipway.invalid/none:1', { signal }),
      () => copy.volumes.remove(engine, project, 'none', { signal }),
      () => copy.putFiles(engine, { org: 'org_a', project, image: 'busybox:1', files: [] as never }, { signal }),
    ]
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'engine_foreign' })
    await copy.owner.release(engine, 'org_a', { signal })
    expect(await original.observe(engine, project, { signal })).toMatchObject([{ service: 'mine', deployment: 'v1' }])
    expect((await original.owner.read(engine, { signal })).org).toBe('org_a')

    expect(await copy.owner.seize(engine, 'org_a', { signal })).toMatchObject({ org: 'org_a', foreign: null })
    expect((await original.owner.read(engine, { signal })).foreign).toBe('ins_copy')
  } finally {
    await copy.withdraw(engine, project, { signal, atOnce: true }).catch(() => {})
    await original.withdraw(engine, project, { signal, atOnce: true }).catch(() => {})
    await copy.owner.release(engine, 'org_a', { signal })
    for (const one of [before, original, copy]) one.close()
  }
})
