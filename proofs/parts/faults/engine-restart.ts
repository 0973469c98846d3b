import type { Deployment } from '@slipway/contract/deployment-shape'
import { restartDocker } from '../../../lab/docker.ts'
import { endMachine, startMachine } from '../../../lab/machine.ts'
import { furnishEngine } from '../../../lab/parts/engine.ts'
import { partDir } from '../../../lab/paths.ts'
import { isOver } from '../../../test-kit/deployment.ts'
import { openSite } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { slowBuild, webApp } from './bench.ts'
import { isServing, tasksOf } from './left-behind.ts'
import { leaveLink, linksOf } from './left-link.ts'
import { untilStep } from './run-rows.ts'

const MACHINE = 'crash'
const NUMBER = 9
/** An engine that restarts stops its containers, brings its Swarm up, and starts them again. */
const BACK_MS = 120_000
/** What is only said of a release that ends, or never comes up, by itself. */
const BLAMES = ['crashed', 'unstable', 'unhealthy']

/** A machine of its own, whose engine is restarted: idle, in the middle of a build, and of a rollout. */
export async function restartedEngine(say: (line: string) => void): Promise<string[]> {
  const machine = await startMachine(MACHINE, NUMBER)
  try {
    const engine = await furnishEngine(machine)
    const site = await openSite({ name: 'crashengine', slot: 3, engine })
    try {
      return await restarts(site, say)
    } finally {
      await site.close()
    }
  } finally {
    await endMachine(MACHINE)
  }
}

type Opened = Awaited<ReturnType<typeof openSite>>

async function restarts(site: Opened, say: (line: string) => void): Promise<string[]> {
  for (const _ of [1, 2]) await site.start()
  await site.addLocalServer()
  const project = await site.project('steady')
  const pool = site.database?.pool
  if (!pool) throw new Error('no database')
  const first = await site.ended(await site.deploy(project, webApp(1)))
  const wrong = first.status === 'ready' ? [] : [`the first release: ${JSON.stringify(first.error)}`]
  const restart = () => restartDocker(MACHINE, partDir(MACHINE))
  const moments: [name: string, begin: () => Promise<string | null>][] = [
    ['idle', async () => null],
    [
      'in a build',
      async () => {
        const id = await site.deploy(project, slowBuild('20'))
        await untilStep(pool, id, 'build', 'started')
        const said = `select 1 from deployment_event where deployment_id = $1 and data::text like '%RUN sleep%'`
        await until('the RUN runs', 60_000, async () => ((await pool.query(said, [id])).rowCount ?? 0) > 0)
        return id
      },
    ],
    [
      'in a rollout',
      async () => {
        const id = await site.deploy(project, webApp(2))
        await until('the new version is live', 60_000, async () =>
          (await tasksOf(site.engine.socket, project)).some((task) => task.deployment === id && isServing(task)),
        )
        return id
      },
    ],
  ]
  for (const [name, begin] of moments) {
    const id = await begin()
    const since = performance.now()
    await restart()
    const ended = id === null ? undefined : await over(site, id)
    const found = await agrees(site, project)
    const took = Math.round((performance.now() - since) / 1000)
    say(
      `the engine restarted ${name}: ${ended ? `${ended.status} ${ended.error?.code ?? ''}, ` : ''}${found ?? `in agreement after ${took} s`}`,
    )
    if (found) wrong.push(`the engine restarted ${name}: ${found}`)
    if (BLAMES.includes(ended?.error?.code ?? ''))
      wrong.push(`the engine restarted ${name}: the release is blamed for it`)
  }
  for (const trouble of [await again(site, project, say), await withLink(site, project, say)]) {
    if (trouble) wrong.push(trouble)
  }
  return wrong
}

const TIMES = 4

/** In the first minute of a release, while it is watched: what the engine ends is not the release's fault. */
async function again(site: Opened, project: string, say: (line: string) => void): Promise<string | undefined> {
  const { id } = await site.ended(await site.deploy(project, webApp(3)))
  for (let n = 0; n < TIMES; n += 1) {
    await restartDocker(MACHINE, partDir(MACHINE))
    const found = await agrees(site, project)
    if (found) return `the engine restarted ${n + 1} times: ${found}`
  }
  const { status, active } = await site.show(id)
  say(`the engine restarted ${TIMES} times after a release: it is ${status}${active ? ', active' : ''}`)
  return status === 'ready' && active ? undefined : `${TIMES} restarts made a good release ${status}`
}

/** What an engine may leave behind blocks a network for ever; the platform clears it. */
async function withLink(site: Opened, project: string, say: (line: string) => void): Promise<string | undefined> {
  const [link] = await linksOf(site.engine.socket, project)
  if (!link) return 'the project has no network'
  const since = performance.now()
  await restartDocker(MACHINE, partDir(MACHINE), () => leaveLink(MACHINE, link))
  const found = await agrees(site, project)
  const took = Math.round((performance.now() - since) / 1000)
  say(`the engine restarted, and left a link behind: ${found ?? `in agreement after ${took} s`}`)
  return found && `a link was left behind: ${found}`
}

const over = (site: Opened, id: string) =>
  until(`${id} is over`, BACK_MS, async () => {
    const now = await site.show(id).catch(() => undefined)
    return now && isOver(now) ? now : undefined
  })

/** The release that is called active is the one that answers, and it runs. Undefined when that has come about. */
async function agrees(site: Opened, project: string): Promise<string | undefined> {
  let found = 'nothing was seen'
  const look = async () => {
    const { data } = await site.ask<{ data: Deployment[] }>('GET', `/api/deployments?projectId=${project}&limit=50`)
    const active = data.find((one) => one.active)
    const serving = (await tasksOf(site.engine.socket, project).catch(() => [])).filter(isServing)
    const answer = await site.visit('steady').catch((error: Error) => ({ status: 0, text: error.message }))
    const unsettled = data.some(({ services }) => services.some(({ status }) => status === 'deploying'))
    found = `active ${active?.id}, running ${serving.map(({ deployment }) => deployment).join()}, answer ${answer.status} ${answer.text}`
    return answer.status === 200 && serving.length === 1 && serving[0]?.deployment === active?.id && !unsettled
  }
  return until('agreement', BACK_MS, look).then(
    () => undefined,
    () => found,
  )
}
