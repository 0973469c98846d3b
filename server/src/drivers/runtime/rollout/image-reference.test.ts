import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import { LABEL, serviceName } from '../labels.ts'
import { contentHash } from './identity.ts'
import { imageReference } from './image-reference.ts'
import { updateService } from './write.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = 'test-image-reference'
const runtime = trialRuntime({ instance })
const project = `prj_r${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
const built = (name: string) => ({ repository: `slipway.invalid/${project}`, tag: name })
const imageOf = ({ repository, tag }: ReturnType<typeof built>) => `${repository}:${tag}`

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  for (const image of await runtime.images.list(engine, `slipway.invalid/${project}`, { signal }))
    await runtime.images.remove(engine, image, { signal })
  close()
  runtime.close()
}, 60_000)

const spec = (service: string, deployment: string, image: string, mode: 'good' | 'nolisten' = 'good') =>
  trialSpec({ project, service, deployment }, mode, { image })

async function healthy(service: string, deployment: string) {
  const options = { deployment, signal, stableMs: 500, deadlineMs: 60_000 }
  expect(await runtime.watch(engine, { project, service }, options)).toMatchObject({ outcome: 'healthy' })
}

const found = (service: string) =>
  callEngine<ServiceAnswer>(docker, { path: `/services/${serviceName(instance, { project, service })}` }, signal)

const handedOver = async (service: string) => (await found(service)).Spec.TaskTemplate.ContainerSpec?.Image

/** As it was done before: the same spec, by the image's name. */
async function renameImage(service: string, image: string) {
  const current = await found(service)
  const { TaskTemplate, ...spec } = current.Spec
  const { [LABEL.image]: _, ...labels } = TaskTemplate.ContainerSpec?.Labels ?? {}
  const byName = { ...TaskTemplate.ContainerSpec, Image: image }
  const Labels = { ...labels, [LABEL.content]: contentHash(byName) }
  await updateService(docker, current, {
    ...spec,
    TaskTemplate: { ...TaskTemplate, ContainerSpec: { ...byName, Labels } },
  })
}

const running = async (service: string) =>
  (await runtime.tasks(engine, project, { signal })).filter((task) => task.service === service)

describe.concurrent('what the engine is given for an image', { timeout: 120_000 }, () => {
  test('is the id of one that it has, so that no registry is asked; its name is what is shown', async ({ expect }) => {
    await runtime.images.keep(engine, 'node:24-slim', { ...built('one'), signal })
    const image = imageOf(built('one'))
    await runtime.apply(engine, spec('one', 'v1', image), { signal })
    await healthy('one', 'v1')
    const { id } = (await runtime.images.inspect(engine, image, { signal })) ?? {}
    expect(await handedOver('one')).toBe(id)
    expect((await running('one')).map((task) => task.image)).toEqual([image])
    const observed = await runtime.observe(engine, project, { signal })
    expect(observed.find(({ service }) => service === 'one')?.image).toBe(image)
  })

  test('is its name where the engine has it not, and its digest, which is looked for on the engine first', async ({
    expect,
  }) => {
    const digest = `registry.invalid/app@sha256:${'0'.repeat(64)}`
    for (const image of ['slipway.invalid/none:1', digest])
      expect(await imageReference(docker, spec('none', 'v1', image), [], signal)).toBe(image)
  })

  test('stays its name for what an earlier version started by it: going back there touches no task', async ({
    expect,
  }) => {
    await runtime.images.keep(engine, 'node:24-slim', { ...built('old'), signal })
    const old = spec('old', 'v1', imageOf(built('old')))
    await runtime.apply(engine, old, { signal })
    await healthy('old', 'v1')
    await renameImage('old', old.image)
    await expect.poll(() => handedOver('old')).toBe(old.image)
    await healthy('old', 'v1')
    const before = await running('old')
    await runtime.apply(engine, spec('old', 'v2', imageOf(built('old')), 'nolisten'), { signal })
    expect(await runtime.apply(engine, old, { signal, interrupt: true })).toMatchObject({ did: 'updated' })
    await healthy('old', 'v1')
    expect((await running('old')).map(({ taskId }) => taskId)).toEqual(before.map(({ taskId }) => taskId))
    expect(await handedOver('old')).toBe(old.image)
  })
})
