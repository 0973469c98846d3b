import { createServer } from 'node:net'
import { engineAt } from '../../../test-kit/engine.ts'
import { until } from '../../../test-kit/until.ts'
import { type Bench, slowBuild, webApp } from './bench.ts'
import { isServing, tasksOf } from './left-behind.ts'
import { untilStep } from './run-rows.ts'

/** Brings a deployment to the moment; `clear` undoes what that took. */
type Arranged = { id: string; project: string; clear?: () => Promise<unknown> }
export type Case = {
  name: string
  /** The step in which the cancel must have been accepted. */
  during: string
  /** The new version answers already when it is cancelled. */
  live?: boolean
  arrange(bench: Bench): Promise<Arranged>
}

let version = 1
const next = (more = {}) => webApp(++version, more)
let nap = 3000
const uncommon = () => `${++nap}.${process.pid}`

const inStep = (name: string, files: () => Record<string, string>): Case => ({
  name: `in ${name}`,
  during: name,
  async arrange({ site, pool, steady }) {
    const id = await site.deploy(steady, files())
    await untilStep(pool, id, name, 'started')
    return { id, project: steady }
  },
})

const steadyTask = (bench: Bench, project: string, id: string, wanted: (states: string[]) => boolean) =>
  until(`a task of ${id}`, 60_000, async () => {
    const tasks = (await tasksOf(bench.socket, project)).filter((task) => task.deployment === id)
    return tasks.length > 0 && wanted(tasks.map(({ state }) => state))
  })

/** The new version runs, and the engine has told the old one to go. */
const isLive = (bench: Bench, id: string) =>
  until('the new version is live', 60_000, async () => {
    const tasks = await tasksOf(bench.socket, bench.steady)
    const old = tasks.filter((task) => task.deployment === bench.release() && isServing(task))
    return old.length === 0 && tasks.some((task) => task.deployment === id && isServing(task))
  })

/** Two builds of other projects that take the two places of the server. */
async function occupy({ site, pool }: Bench, count: number) {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const project = await site.project(`busy ${nap}-${n}`)
    ids.push(await site.deploy(project, slowBuild(uncommon())))
  }
  for (const id of ids) await untilStep(pool, id, 'build', 'started')
  return async () => {
    for (const id of ids) await site.call('POST', `/api/deployments/${id}/cancel`)
    for (const id of ids) await site.ended(id, 30)
  }
}

/** A git host that takes the call and never says a word. */
async function silentHost() {
  const server = createServer(() => {})
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return { url: `https://127.0.0.1:${port}/silent.git`, close: async () => void server.close() }
}

const gate = (prompt: 'approveBuild' | 'approveRelease', more: { busy?: number } = {}): Case => ({
  name: `at the gate ${prompt}${more.busy ? ' while every worker is busy' : ''}`,
  during: 'none',
  async arrange(bench) {
    const { site, steady } = bench
    const set = (on: boolean) => site.ask('PATCH', `/api/projects/${steady}`, { settings: { [prompt]: on } })
    await set(true)
    const id = await site.deploy(steady, next())
    await site.until(id, (seen) => seen.waitingOn !== null)
    const free = more.busy ? await occupy(bench, more.busy) : async () => {}
    return { id, project: steady, clear: async () => Promise.all([set(false), free()]) }
  },
})

/** Of a project that never had a release: everything it made must go. */
const first = (name: string, during: string, files: () => Record<string, string>, moment: Moment): Case => ({
  name: `${name} of a first deployment`,
  during,
  async arrange(bench) {
    const project = await bench.site.project(`first ${name}`)
    const id = await bench.site.deploy(project, files())
    await moment(bench, id, project)
    return { id, project }
  },
})
type Moment = (bench: Bench, id: string, project: string) => Promise<unknown>

/** So many old images that taking them away lasts. */
async function clutter({ socket, steady }: Bench): Promise<void> {
  const image = engineAt(socket).getImage('busybox:1')
  const repo = `slipway.invalid/${steady.replace(/_/g, '-')}`
  for (let n = 0; n < 300; n++) await image.tag({ repo, tag: `old-${n}` })
}

export const CASES: Case[] = [
  {
    name: 'queued behind another one',
    during: 'none',
    async arrange({ site, pool, steady }) {
      const ahead = await site.deploy(steady, slowBuild(uncommon()))
      await untilStep(pool, ahead, 'build', 'started')
      const id = await site.deploy(steady, next())
      const clear = async () => {
        await site.ask('POST', `/api/deployments/${ahead}/cancel`)
        await site.ended(ahead, 30)
      }
      return { id, project: steady, clear }
    },
  },
  {
    name: 'in source, while the git host says nothing',
    during: 'source',
    async arrange({ site, pool }) {
      const host = await silentHost()
      const project = await site.project('silent', { repository: host.url })
      const { deployment_id: id } = await site.ask('POST', '/api/deployments', { projectId: project })
      await untilStep(pool, id, 'source', 'started')
      return { id, project, clear: host.close }
    },
  },
  gate('approveBuild'),
  gate('approveBuild', { busy: 8 }),
  {
    name: 'in build, waiting for a place',
    during: 'build',
    async arrange(bench) {
      const { site, pool, steady } = bench
      const clear = await occupy(bench, 2)
      const id = await site.deploy(steady, next())
      await until('it waits for a place', 30_000, async () => {
        const { rows } = await pool.query('select held from run_limit where run_id = $1', [id])
        return rows[0]?.held === false
      })
      return { id, project: steady, clear }
    },
  },
  {
    ...inStep('build', () => ({
      ...next(),
      ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`files/${n}`, `${version} ${n}`])),
    })),
    name: 'in build, as its files are laid out',
  },
  {
    name: 'in build, in the middle of a RUN',
    during: 'build',
    async arrange({ site, pool, steady }) {
      const id = await site.deploy(steady, slowBuild(uncommon()))
      const sleeps = `select 1 from deployment_event where deployment_id = $1 and data::text like '%RUN sleep%'`
      await until('the RUN runs', 60_000, async () => ((await pool.query(sleeps, [id])).rowCount ?? 0) > 0)
      return { id, project: steady }
    },
  },
  gate('approveRelease'),
  inStep('release', next),
  { ...inStep('rollout', next), name: 'in rollout, at its start' },
  {
    name: 'in rollout, while the new container boots',
    during: 'rollout',
    async arrange(bench) {
      const id = await bench.site.deploy(bench.steady, next({ bootMs: 15_000 }))
      await steadyTask(bench, bench.steady, id, (states) => states.includes('starting'))
      return { id, project: bench.steady }
    },
  },
  {
    name: 'in rollout, when the new version has just gone live',
    during: 'rollout',
    live: true,
    async arrange(bench) {
      const id = await bench.site.deploy(bench.steady, next())
      await isLive(bench, id)
      return { id, project: bench.steady }
    },
  },
  {
    name: 'in rollout, when the new version has been live for three seconds',
    during: 'rollout',
    live: true,
    async arrange(bench) {
      const id = await bench.site.deploy(bench.steady, next())
      await isLive(bench, id)
      const since = performance.now()
      await until('three seconds', 10_000, async () => performance.now() - since > 3000)
      return { id, project: bench.steady }
    },
  },
  { ...inStep('route', next), live: true },
  {
    name: 'in tidy',
    during: 'tidy',
    live: true,
    async arrange(bench) {
      await clutter(bench)
      const id = await bench.site.deploy(bench.steady, next())
      await untilStep(bench.pool, id, 'tidy', 'started')
      return { id, project: bench.steady }
    },
  },
  first(
    'build',
    'build',
    () => slowBuild(uncommon()),
    ({ pool }, id) => untilStep(pool, id, 'build', 'started'),
  ),
  first(
    'rollout',
    'rollout',
    () => next({ bootMs: 15_000 }),
    (bench, id, project) => steadyTask(bench, project, id, (states) => states.includes('starting')),
  ),
  first(
    'rollout of a service that ignores SIGTERM',
    'rollout',
    () => next({ deaf: true }),
    (bench, id, project) => steadyTask(bench, project, id, (states) => states.includes('running')),
  ),
  first('route', 'route', next, ({ pool }, id) => untilStep(pool, id, 'route', 'started')),
]
