import { until } from '../../../test-kit/until.ts'
import type { Bench } from './bench.ts'
import { type Case, type Complaint, serves, wordsOf } from './case.ts'
import { visitor } from './visitor.ts'

/** The engine's service, once it carries this deployment. */
const arrived = (bench: Bench, projectId: string, id: string) =>
  until('the engine has it', 60_000, async () => {
    const found = await bench.service(projectId)
    return found?.Spec?.Labels?.['slipway.deployment'] === id ? found : undefined
  })

/** Runs for a moment: long enough to be healthy, short enough to be watched still. */
const running = (bench: Bench, id: string) =>
  until('its container is healthy', 60_000, async () => {
    const [found] = await bench.containers(id)
    return found?.Status.includes('(healthy)') ? found : undefined
  })

type Change = (bench: Bench, at: { projectId: string; id: string }) => Promise<void>

/** Changes the service as somebody with a shell on the server would: `docker service update`. */
const update =
  (change: (spec: Record<string, never> & { [name: string]: unknown }) => void): Change =>
  async (bench, { projectId, id }) => {
    const { ID } = await arrived(bench, projectId, id)
    await running(bench, id)
    const service = bench.docker.getService(ID)
    const { Version, Spec } = await service.inspect()
    change(Spec)
    await service.update({ version: Version.Index, ...Spec })
  }

// biome-ignore lint/suspicious/noExplicitAny: the engine's own words
const loose = (value: unknown) => value as any

/** While a good one is rolled out over a good one, somebody else does this; it must come out well all the same. */
const survives = (name: string, change: Change): Case => ({
  name,
  async run(bench, slug) {
    const { projectId } = await bench.serving(slug)
    const id = await bench.send(projectId, { env: { VERSION: 'v2' } })
    await change(bench, { projectId, id })
    const seen = await bench.end(id)
    const { status, text } = await bench.site.visit(slug)
    return [
      ...(seen.status === 'ready' ? [] : [`it is ${seen.status}: ${JSON.stringify(seen.error)}`]),
      ...(status === 200 && text === 'v2' ? [] : [`the edge answers ${status} ${text}`]),
    ]
  },
})

type Words = { code: string; message: RegExp; hint: RegExp }

/** Somebody else does this, and the deployment cannot go on: the one before it serves again. */
const fails = (name: string, mode: string, change: Change, words: Words, probe?: string): Case => ({
  name,
  ...(probe !== undefined && { probe }),
  run: (bench) =>
    bench.borrow(async (serving) => {
      const { slug, projectId } = serving
      const visits = visitor(bench.site, slug)
      const id = await bench.send(projectId, { env: { VERSION: 'v2', MODE: mode } })
      await change(bench, { projectId, id })
      const seen = await bench.end(id)
      const { gapMs } = await visits.stop()
      const away: Complaint[] = gapMs > 20_000 ? [`nobody answered for ${Math.round(gapMs)} ms`] : []
      return [
        ...(await wordsOf(bench, seen, { step: 'rollout', ...words })),
        ...(await serves(bench, serving)),
        ...away,
      ]
    }),
})

export const outsideCases: Case[] = [
  fails(
    'outside: its container is killed',
    'good',
    async (bench, { id }) => {
      const { Id } = await running(bench, id)
      await bench.docker.getContainer(Id).kill()
    },
    { code: 'crashed', message: /was ended by signal 9 \(SIGKILL\)/, hint: /Something else on the server ended it/ },
  ),
  fails(
    'outside: the service is removed',
    'nolisten',
    async (bench, { projectId, id }) => {
      const { ID } = await arrived(bench, projectId, id)
      await bench.docker.getService(ID).remove()
    },
    { code: 'removed_outside', message: /removed the service/, hint: /Leave the service to Slipway/ },
    'service removed in the middle',
  ),
  fails(
    'outside: the service becomes something else',
    'good',
    update((spec) => {
      loose(spec).TaskTemplate.ContainerSpec = { Image: 'busybox:1', Command: ['sleep', '600'] }
    }),
    { code: 'changed_outside', message: /changed the service/, hint: /Leave the service to Slipway/ },
  ),
  fails(
    'outside: its environment is changed',
    'good',
    update((spec) => {
      loose(spec).TaskTemplate.ContainerSpec.Env.push('INTRUDER=1')
    }),
    { code: 'changed_outside', message: /changed the service/, hint: /Leave the service to Slipway/ },
  ),
  survives(
    'outside: the service is scaled',
    update((spec) => {
      loose(spec).Mode.Replicated.Replicas = 2
    }),
  ),
  survives(
    'outside: the service is forced to restart',
    update((spec) => {
      loose(spec).TaskTemplate.ForceUpdate = (loose(spec).TaskTemplate.ForceUpdate ?? 0) + 1
    }),
  ),
  survives('outside: a container of the release before is killed', async (bench, { projectId, id }) => {
    await arrived(bench, projectId, id)
    const label = [`slipway.project=${projectId}`, 'slipway.service']
    const all = await bench.docker.listContainers({ filters: { label } })
    const old = all.find(({ Labels }) => Labels['slipway.deployment'] !== id)
    if (old)
      await bench.docker
        .getContainer(old.Id)
        .kill()
        .catch(() => {})
  }),
]
