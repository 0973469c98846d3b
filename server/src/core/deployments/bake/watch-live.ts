import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { RunningTask } from '../../../drivers/runtime/running/tasks.ts'
import { openRuns, submit } from '../../../jobs/enqueue.ts'
import { engineOf } from '../../servers/engine-of.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { partOf } from '../release/release.ts'
import { type Baking, baking, stopBaking } from './bake-store.ts'
import type { RestoreInput, Trouble } from './restore.ts'

const MOST = 500
const AT_ONCE = 8
const LOOK_MS = 5000

/**
 * Looks at every release that went live a moment ago. One of whose services dies again and again, or does not pass its
 * check any more, is seen so twice in a row: what it took the place of comes back. An engine that does not answer says
 * nothing about a release.
 */
export function liveWatch(parts: DeployParts) {
  let suspects = new Map<string, Trouble>()
  return async (signal: AbortSignal): Promise<void> => {
    const next = new Map<string, Trouble>()
    const waiting = (await baking(parts.db, MOST)).values()
    const worker = async () => {
      for (const release of waiting) {
        if (signal.aborted) return
        const trouble = await look(parts, release, signal)
        if (trouble && suspects.has(release.id)) await sendBack(parts, release, trouble)
        else if (trouble) next.set(release.id, trouble)
        else if (release.over) await stopBaking(parts.db, release.projectId)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    suspects = next
  }
}

async function look(parts: DeployParts, release: Baking, signal: AbortSignal): Promise<Trouble | undefined> {
  try {
    const server = await servers.load(parts.db, release.orgId, release.serverId)
    const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
    const tasks = await parts.runtime.tasks(engineOf(parts, server), release.projectId, { signal: within })
    // What was left as it was before is not this release's doing.
    const isOf = partOf(parts, release)
    const own = tasks.filter((task) => isOf(task.service, task.deployment) && task.deployment === release.id)
    return troubleOf(own, release.tookOver === null ? FIRST : LATER)
  } catch {
    return undefined
  }
}

/** Deaths in one place: nothing is lost by patience where there is nothing to go back to. */
const FIRST = 3
const LATER = 2

export function troubleOf(tasks: RunningTask[], deaths: number): Trouble | undefined {
  for (const { service, restarts, state, health, error } of tasks) {
    const why = error === null ? '' : ` The engine says: ${error}.`
    if (restarts >= deaths) return { service, message: `It ended ${restarts} times since it went live.${why}` }
    if (restarts > 0 && (state !== 'running' || health === 'unhealthy'))
      return { service, message: `It ended after it went live, and is ${health ?? state} now.${why}` }
  }
  return undefined
}

/** In the project's turn: nothing is being rolled out meanwhile. Once: whoever asks again finds it asked for. */
async function sendBack(parts: DeployParts, release: Baking, trouble: Trouble): Promise<void> {
  await transaction(parts.db, async (tx) => {
    await stopBaking(tx, release.projectId)
    const open = await openRuns(tx, release.orgId, release.projectId)
    if (open.some(({ kind }) => kind === 'restore')) return
    const input: RestoreInput = { deployment: release.id, previous: release.tookOver, trouble }
    const run = { id: newId('run'), lane: release.projectId, kind: 'restore', orgId: release.orgId, input }
    await submit(tx, parts.transport, run)
  })
}
