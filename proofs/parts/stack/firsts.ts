import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { leftBehind } from '../faults/left-behind.ts'
import { type Case, runCase, type Tally } from './case.ts'
import { newStack } from './ground.ts'
import type { Choice, Faults } from './model.ts'

const one = (faults: Faults, ...choices: Choice[]): Case => ({ name: '', faults, choices })

/** Projects that begin with a deployment of which only a part comes up, and what comes after it. */
export const FIRSTS: { name: string; cases: Case[] }[] = [
  {
    name: 'kept, then another rejected, then a good one',
    cases: [one({ web: 'start' }, 'keep'), one({ api: 'start', cache: 'start' }, 'reject'), one({})],
  },
  { name: 'a job fails, kept, then a good one', cases: [one({ migrate: 'start' }, 'keep', 'keep'), one({})] },
  { name: 'the first is rejected', cases: [one({ db: 'health' }, 'reject', 'reject')] },
  { name: 'a job fails, rejected', cases: [one({ migrate: 'start', worker: 'start' }, 'reject')] },
  { name: 'nothing comes up', cases: [one({ cache: 'start', db: 'start' })] },
  { name: 'one does not build', cases: [one({ api: 'build' })] },
]

/** Afterwards nothing is left where there never was a release, and the project goes. */
export async function runFirst(site: Site, called: string, cases: Case[], tally: Tally): Promise<string[]> {
  const stack = await newStack(site, called)
  const lane = { stack, world: {}, active: null as string | null, versions: 0 }
  const wrong: string[] = []
  for (const each of cases) wrong.push(...(await runCase(lane, each, tally)))
  if (lane.active === null) wrong.push(...(await nothingLeft(site, stack.project)))
  if (lane.active !== null) await site.ask('DELETE', `/api/deployments/${lane.active}?force=true`)
  const { status, text } = await site.call('DELETE', `/api/projects/${stack.project}`)
  if (status >= 300) wrong.push(`the project could not be deleted: ${status} ${text}`)
  return wrong
}

/** What a container held is looked for again after a while. */
const GONE_MS = 150_000

async function nothingLeft(site: Site, project: string): Promise<string[]> {
  let left: string[] = []
  const look = async () => {
    left = await leftBehind(site.engine.socket, { id: 'dep_', project, first: true })
    return left.length === 0
  }
  await until('nothing is left', GONE_MS, look, { everyMs: 300 }).catch(() => {})
  return left.map((thing) => `${thing} is left of a project without a release`)
}
