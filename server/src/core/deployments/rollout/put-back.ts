import { isFailure } from '../../../errors.ts'
import { UNDO_PENDING } from '../../../jobs/steps.ts'
import { converge, newJournal } from '../converge/converge.ts'
import { DEADLINES } from '../converge/deadlines.ts'
import { DidNotComeUp, machinesOn } from '../converge/execute.ts'
import { ensureGround } from '../converge/ground.ts'
import { namesAt } from '../converge/names.ts'
import { putBack as back } from '../converge/planning/wanted.ts'
import { standingOf } from '../converge/standing.ts'
import type { Because, DeployContext, OnServer } from '../deploy-context.ts'
import { wholeActive } from '../release/load-release.ts'
import { patiently } from '../release/lost-lines.ts'
import { forgetOtherPorts } from '../routes/routed-store.ts'
import { routesWritten, withoutOthers } from '../routes/routes.ts'
import { promptMs } from './prompt.ts'

/**
 * Undoes a rollout from our own stored specs of the release that is active, whatever the engine did by itself. What is not
 * part of it goes. Without one nothing existed before, and all goes, with its networks and without a grace period: it
 * never was a release. Somebody waits for the end of a cancelled one: what takes longer goes on without us, and is seen to
 * later.
 */
export async function putBack(
  context: OnServer & Pick<DeployContext, 'events'>,
  signal: AbortSignal,
  because: Because,
): Promise<typeof UNDO_PENDING | undefined> {
  const { parts, engine, deployment, server, run } = context
  const { orgId: org, projectId } = deployment
  const release = await wholeActive(context)
  const at = { engine, serverId: server.id, projectId }
  const routes = withoutOthers(await routesWritten(parts.db, at))
  const standing = release.services.length === 0 ? null : { ...standingOf(parts, at, release, []), routes }
  const isPrompt = because === 'cancelled'
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine, server: server.id, project: projectId, specs: release.services },
    names: namesAt(parts, at, run, { write: (tx) => forgetOtherPorts(tx, projectId) }),
    patienceMs: isPrompt ? promptMs(run) : DEADLINES.backMs,
    patiently: patiently(context, 'rollout'),
    makeNetworks: (within) => ensureGround(parts, { engine, org, project: projectId, release }, within),
  })
  const journal = newJournal()
  const enough = isPrompt ? { enough: AbortSignal.timeout(promptMs(run)) } : {}
  const options = { journal, guard: () => run.assertOwned(), signal, ...enough }
  const { end } = await converge(machines, back(standing, because), options).catch((error) => {
    signal.throwIfAborted()
    if (!isPrompt || !isFailure(error, 'engine', 'engine_timeout')) throw error
    return { end: 'later' as const }
  })
  if (end === 'later') return UNDO_PENDING
  const [why] = journal.whys.values()
  // Then it is not "restored", and nobody may say so.
  if (end === 'stuck') throw why instanceof DidNotComeUp ? why.failure : why
  return undefined
}
