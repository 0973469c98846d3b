import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { NetworkAnswer, ServiceAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import { dropNetwork } from '../drop-network.ts'
import { findService } from '../find.ts'
import { LABEL } from '../labels.ts'
import { updateService } from './write.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = `test-rm-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance })
const project = `prj_r${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 30_000 })

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
  close()
}, 60_000)

const spec = (service: string, deployment: string, more = {}) =>
  trialSpec({ project, service, deployment }, 'good', more)
const make = (service: string, deployment: string, more = {}) =>
  runtime.apply(engine, spec(service, deployment, more), { signal, interrupt: true })
const look = async (service: string): Promise<ServiceAnswer> => {
  const found = await findService(docker, { instance, project, service }, signal)
  if (!found) throw new Error(`${service} is gone`)
  return found
}
const deploymentOf = async (service: string) =>
  (await runtime.observe(engine, project, { signal })).find((one) => one.service === service)?.deployment ?? null
/** The caller is stopped after this guard, the last before its write, and something happens meanwhile. */
const stoppedWhile = (meanwhile: () => Promise<unknown>, { at = 1, then = () => {} } = {}) => {
  let asked = 0
  return async () => {
    asked += 1
    if (asked === at) await meanwhile()
    if (asked > at) then()
  }
}

test('a service that another deployment has by now stays', async () => {
  await make('other', 'v2')
  const removed = await runtime.remove(engine, { project, service: 'other' }, { signal, deployments: ['v1', null] })
  expect(removed).toEqual({ removed: false })
  expect(await deploymentOf('other')).toBe('v2')
  expect(await runtime.remove(engine, { project, service: 'other' }, { signal, deployments: ['v2'] })).toEqual({
    removed: true,
  })
})

test('an owner that is stopped between its guard and its removal removes nothing that a newer one has made since', async () => {
  await make('late', 'v1')
  const guard = stoppedWhile(() => make('late', 'v2'))
  const options = { signal, deployments: ['v1'], guard }
  expect(await runtime.remove(engine, { project, service: 'late' }, options)).toEqual({ removed: false })
  expect(await deploymentOf('late')).toBe('v2')
})

test('a removal that was begun is finished by whoever applies next: a late one then meets an id that is gone', async () => {
  await make('begun', 'v1')
  const seen = await look('begun')
  // Stopped after the mark, before the engine heard of the removal itself.
  await updateService(docker, seen, { ...seen.Spec, Labels: { ...seen.Spec.Labels, [LABEL.leaving]: 'true' } })
  await expect(
    runtime.restart(engine, { project, service: 'begun' }, { signal, token: 'again' }),
  ).rejects.toMatchObject({ code: 'service_missing' })
  expect((await runtime.survey(engine, { signal })).has(project, [spec('begun', 'v1')])).toBe(false)
  // Not even the very same spec is taken for being there.
  expect(await make('begun', 'v1')).toMatchObject({ did: 'created' })
  const now = await look('begun')
  expect(now.ID).not.toBe(seen.ID)
  await expect(docker.getService(seen.ID).remove()).rejects.toMatchObject({ statusCode: 404 })
  expect(await deploymentOf('begun')).toBe('v1')
})

test('a job is made anew for each deployment, so that a late removal of the one before meets another id', async () => {
  const job = { job: true, entrypoint: ['node', '-e', ''], restart: 'never' as const }
  await make('job', 'v1', job)
  const { ID } = await look('job')
  await make('job', 'v2', job)
  expect((await look('job')).ID).not.toBe(ID)
})

test('a withdrawal that was overtaken takes nothing of what came after it', async () => {
  const lost = new Error('another owner has it')
  const own = `${project}w`
  const release = (deployment: string) =>
    runtime.apply(engine, trialSpec({ project: own, service: 'kept', deployment }, 'good'), { signal, interrupt: true })
  await release('v1')
  const then = () => {
    throw lost
  }
  // Asked once for the whole project, and once for the service.
  const guard = stoppedWhile(() => release('v2'), { at: 2, then })
  await expect(runtime.withdraw(engine, own, { signal, guard })).rejects.toBe(lost)
  expect(await runtime.observe(engine, own, { signal })).toMatchObject([{ service: 'kept', deployment: 'v2' }])
  expect(await runtime.withdraw(engine, own, { signal, atOnce: true })).toMatchObject({
    services: [expect.any(String)],
  })
})

test('a withdrawal that was overtaken kills no container of what came after it', async () => {
  const own = `${project}k`
  const release = (service: string) =>
    runtime.apply(engine, trialSpec({ project: own, service, deployment: 'v1' }, 'good'), { signal })
  const containerOf = async (service: string) =>
    (await runtime.tasks(engine, own, { signal })).find((task) => task.service === service && task.state === 'running')
      ?.containerId ?? undefined
  await release('first')
  let fresh: string | undefined
  const meanwhile = async () => {
    await release('fresh')
    fresh = await until('the next one runs', 45_000, () => containerOf('fresh'))
  }
  const then = () => {
    throw new Error('another owner has it')
  }
  // Stopped after the guard for its first service, with the list of services that it had.
  const guard = stoppedWhile(meanwhile, { at: 2, then })
  await expect(runtime.withdraw(engine, own, { signal, guard, atOnce: true })).rejects.toThrow('another owner')
  const { State } = await callEngine<{ State: { Running: boolean } }>(
    docker,
    { path: `/containers/${fresh}/json` },
    signal,
  )
  expect(State.Running).toBe(true)
  await runtime.withdraw(engine, own, { signal, atOnce: true })
}, 120_000)

test('ended containers are not removed by an owner that was stopped for too long', async () => {
  await make('ends', 'v1', { job: true, entrypoint: ['node', '-e', ''], restart: 'never' as const })
  // Of this project alone: other files' projects end on the same engine meanwhile.
  const label = [`${LABEL.project}=${project}`, `${LABEL.service}=ends`]
  const ended = () => docker.listContainers({ all: true, filters: { label, status: ['exited'] } })
  const [container] = await until('it has ended', 45_000, async () => {
    const all = await ended()
    return all.length > 0 && all
  })
  const guard = async () => {
    throw new Error('another owner has it')
  }
  const options = { signal, deployment: 'v1' }
  await expect(runtime.removeEnded(engine, project, { ...options, guard })).rejects.toThrow('another owner')
  expect(await ended()).toMatchObject([{ Id: container?.Id }])
  await runtime.removeEnded(engine, project, options)
  expect(await ended()).toEqual([])
}, 60_000)

test('a network that was made anew under the same name stays', async () => {
  const name = `${instance}-net`
  const inspect = () => callEngine<NetworkAnswer>(docker, { path: `/networks/${name}` }, signal)
  await runtime.ensureNetwork(engine, name, { signal, org: 'org_rtest', project })
  const before = await inspect()
  await runtime.removeNetwork(engine, name, { signal })
  await runtime.ensureNetwork(engine, name, { signal, org: 'org_rtest', project })
  await dropNetwork(docker, before, signal)
  const now = await inspect()
  expect(now.Id).not.toBe(before.Id)
  await dropNetwork(docker, now, signal)
})

test('a volume is removed for its own project alone, and not by an owner that was stopped for too long', async () => {
  const name = `${instance}-data`
  const labels = { [LABEL.instance]: instance, [LABEL.project]: project }
  await docker.createVolume({ Name: name, Labels: labels })
  await expect(runtime.volumes.remove(engine, 'prj_other', name, { signal })).rejects.toMatchObject({
    code: 'name_taken',
  })
  const guard = async () => {
    throw new Error('another owner has it')
  }
  await expect(runtime.volumes.remove(engine, project, name, { signal, guard })).rejects.toThrow('another owner')
  expect(await runtime.volumes.remove(engine, project, name, { signal })).toBe(true)
})
