import type { RunningTask } from '../../../drivers/runtime/running/tasks.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { ranOn } from '../rows/engine-of-release.ts'
import { partOf } from '../rows/release.ts'
import type { Trouble } from './restore.ts'
import type { WatchedRelease } from './watch-store.ts'

const INSPECT_MS = 5000

/** `unseen` (the engine could not be asked) is neither well nor trouble. */
export type Inspection =
  | { kind: 'well'; byEngine: string[] }
  | { kind: 'trouble'; byEngine: string[]; trouble: Trouble }
  | { kind: 'unseen'; why: unknown }

/** Not the release's own doing: tasks that are known to have ended with their engine, and deaths in one place besides. */
type Forgiven = { byEngine: readonly string[]; more: number }

export async function inspectRelease(
  parts: Pick<DeployParts, 'db' | 'keys' | 'runtime' | 'config'>,
  release: WatchedRelease,
  { forgiven, signal }: { forgiven: Forgiven; signal: AbortSignal },
): Promise<Inspection> {
  try {
    const server = await servers.load(parts.db, release.orgId, release.serverId)
    if (!ranOn(release, server.engineId)) return { kind: 'unseen', why: new Error('Another engine answers there.') }
    const within = AbortSignal.any([signal, AbortSignal.timeout(INSPECT_MS)])
    const tasks = await parts.runtime.tasks(openEngineTarget(parts, server), release.projectId, { signal: within })
    // What was left as it was before is not this release's doing.
    const isOf = partOf(parts, release)
    const own = tasks.filter((task) => isOf(task.service, task.deployment) && task.deployment === release.id)
    const deaths = own.flatMap((task) => task.deaths)
    const byEngine = deaths
      .filter((one) => one.byEngine || forgiven.byEngine.includes(one.taskId))
      .map((one) => one.taskId)
    const blamed = own.map((task) => ({ ...task, restarts: blameable(task, byEngine) }))
    const trouble = troubleOf(blamed, release.tookOver === null ? FIRST : LATER, forgiven.more)
    return trouble ? { kind: 'trouble', byEngine, trouble } : { kind: 'well', byEngine }
  } catch (why) {
    return { kind: 'unseen', why }
  }
}

const blameable = ({ deaths }: RunningTask, byEngine: string[]): number =>
  deaths.filter(({ taskId }) => !byEngine.includes(taskId)).length

/** Deaths in one place: nothing is lost by patience where there is nothing to go back to. */
const FIRST = 3
const LATER = 2

export function troubleOf(tasks: RunningTask[], deaths: number, forgiven = 0): Trouble | undefined {
  for (const { service, restarts, state, health, error } of tasks) {
    const why = error === null ? '' : ` The engine says: ${error}.`
    if (restarts >= deaths + forgiven)
      return { service, message: `It ended ${restarts} times since it went live.${why}` }
    if (restarts > forgiven && (state !== 'running' || health === 'unhealthy'))
      return { service, message: `It ended after it went live, and is ${health ?? state} now.${why}` }
  }
  return undefined
}

/** The ways in which an engine or its server is away: that is known elsewhere, and passes. */
const AWAY = new Set([
  'engine_unreachable',
  'engine_timeout',
  'unreachable',
  'timeout',
  'name_not_found',
  'connection_lost',
])

export function isAway(why: unknown): boolean {
  const { name, code } = (why ?? {}) as { name?: string; code?: string }
  return name === 'TimeoutError' || (typeof code === 'string' && AWAY.has(code))
}
