import type { Bench } from './bench.ts'
import { type Case, type Complaint, serves, wordsOf } from './case.ts'
import { visitor } from './visitor.ts'

const answers = async (bench: Bench, slug: string, wanted: string): Promise<Complaint[]> => {
  const { status, text } = await bench.site.visit(slug)
  return status === 200 && text === wanted ? [] : [`the edge answers ${status} ${text}, not ${wanted}`]
}
const isReady = (what: string, { status, error }: { status: string; error: unknown }): Complaint[] =>
  status === 'ready' ? [] : [`${what} is ${status}: ${JSON.stringify(error)}`]

/** What must not be called a failure, and what several deployments in a row come to. */
export const goodCases: Case[] = [
  {
    name: 'first: good',
    probe: 'create good',
    async run(bench, slug) {
      const projectId = await bench.project(slug)
      const seen = await bench.deploy(projectId, {})
      return [...isReady('it', seen), ...(await answers(bench, slug, 'v1'))]
    },
  },
  {
    name: 'first: starts slowly',
    probe: 'create slow start 20 s',
    async run(bench, slug) {
      const healthcheck = { path: '/healthz', intervalMs: 500, startPeriodMs: 30_000 }
      const projectId = await bench.project(slug)
      const seen = await bench.deploy(projectId, { env: { BOOT_MS: '20000' }, config: { healthcheck } })
      return [...isReady('it', seen), ...(await answers(bench, slug, 'v1'))]
    },
  },
  {
    name: 'over good: good, without a lost request',
    probe: 'update good to good',
    async run(bench, slug) {
      const { projectId } = await bench.serving(slug)
      const visits = visitor(bench.site, slug)
      const seen = await bench.deploy(projectId, { env: { VERSION: 'v2' } })
      const { failed, asked } = await visits.stop()
      const lost = failed.length > 0 ? [`${failed.length} of ${asked} requests failed: ${failed[0]}`] : []
      return [...isReady('it', seen), ...(await answers(bench, slug, 'v2')), ...lost]
    },
  },
  {
    name: 'over good: the same again',
    probe: 'label only update',
    async run(bench, slug) {
      const { first } = await bench.serving(slug)
      const again = await bench.site.ask('POST', `/api/deployments/${first.id}/redeploy`, {})
      const seen = await bench.end(again.deployment_id)
      return [
        ...isReady('it', seen),
        ...(await answers(bench, slug, 'v1')),
        ...(seen.active ? [] : ['it is not active']),
      ]
    },
  },
  {
    name: 'over bad: good',
    probe: 'update bad to good',
    async run(bench, slug) {
      const projectId = await bench.project(slug)
      const bad = await bench.deploy(projectId, { env: { MODE: 'exit' } })
      const seen = await bench.deploy(projectId, { env: { VERSION: 'v1' } })
      return [
        ...(bad.status === 'failed' ? [] : [`the bad one is ${bad.status}`]),
        ...isReady('the good one', seen),
        ...(await answers(bench, slug, 'v1')),
      ]
    },
  },
  {
    name: 'over bad: bad',
    probe: 'update bad to bad',
    async run(bench, slug) {
      const projectId = await bench.project(slug)
      await bench.deploy(projectId, { env: { MODE: 'exit' } })
      const seen = await bench.deploy(projectId, { env: { MODE: 'exit' } })
      const wrong = { code: 'crashed', step: 'rollout', message: /ended with code 3/, hint: /last lines/ }
      const left = (await bench.service(projectId)) ? ['a service is left on the engine'] : []
      return [...(await wordsOf(bench, seen, wrong)), ...left]
    },
  },
  {
    name: 'a second one during a bad one',
    probe: 'second update during a bad one',
    async run(bench, slug) {
      const { projectId } = await bench.serving(slug)
      const visits = visitor(bench.site, slug)
      const bad = await bench.send(projectId, { env: { MODE: 'nolisten' } })
      await bench.site.until(bad, ({ status }) => status === 'deploying')
      const next = await bench.send(projectId, { env: { VERSION: 'v2' } })
      const [first, second] = await Promise.all([bench.end(bad), bench.end(next)])
      const { failed, asked } = await visits.stop()
      return [
        ...(first.status === 'failed' && first.error?.code === 'port_not_listening'
          ? []
          : [`the bad one is ${first.status} ${first.error?.code}`]),
        ...isReady('the second', second),
        ...(await answers(bench, slug, 'v2')),
        ...(failed.length > 0 ? [`${failed.length} of ${asked} requests failed: ${failed[0]}`] : []),
      ]
    },
  },
  {
    name: 'a second one during a good one',
    probe: 'second update during a good one',
    async run(bench, slug) {
      const { projectId } = await bench.serving(slug, { config: { replicas: 2 } })
      const two = { config: { replicas: 2 } }
      const one = await bench.send(projectId, { env: { VERSION: 'v2' }, ...two })
      await bench.site.until(one, ({ status }) => status === 'deploying')
      const next = await bench.send(projectId, { env: { VERSION: 'v3' }, ...two })
      const [first, second] = await Promise.all([bench.end(one), bench.end(next)])
      return [...isReady('the first', first), ...isReady('the second', second), ...(await answers(bench, slug, 'v3'))]
    },
  },
  {
    name: 'three at once',
    probe: 'two writers, same version',
    async run(bench, slug) {
      const { projectId, first } = await bench.serving(slug)
      const ids = await Promise.all(['v2', 'v3', 'v4'].map((VERSION) => bench.send(projectId, { env: { VERSION } })))
      const seen = await Promise.all(ids.map((id) => bench.end(id)))
      const newest = seen.toSorted((a, b) => b.number - a.number)[0]
      const odd = seen.filter(({ status }) => status !== 'ready' && status !== 'superseded')
      const active = (await Promise.all(ids.map((id) => bench.site.show(id)))).filter(({ active }) => active)
      return [
        ...odd.map(({ status, error }) => `one is ${status}: ${JSON.stringify(error)}`),
        ...(newest?.status === 'ready' ? [] : [`the newest is ${newest?.status}`]),
        ...(active.length === 1 && active[0]?.id === newest?.id ? [] : [`${active.length} are active`]),
        ...((await bench.site.show(first.id)).active ? ['the first is still active'] : []),
      ]
    },
  },
  {
    name: 'a secret in the last line of a crash',
    run: (bench) =>
      bench.borrow(async (serving) => {
        const SECRET = 'tr0ub4dor-and-3'
        const seen = await bench.deploy(serving.projectId, { env: { MODE: 'leak', SECRET } })
        const wrong = {
          code: 'crashed',
          step: 'rollout',
          message: /cannot sign in with •••$/,
          hint: /last lines/,
          line: /•••/,
        }
        const told = JSON.stringify([seen, await bench.lines(seen.id)])
        return [
          ...(await wordsOf(bench, seen, wrong)),
          ...(told.includes(SECRET) ? ['the secret is shown'] : []),
          ...(await serves(bench, serving)),
        ]
      }),
  },
]
