import { converge, newJournal } from '../converge/converge.ts'
import { machinesOn } from '../converge/execute.ts'
import { NO_NAMES } from '../converge/names.ts'
import { others } from '../converge/planning/wanted.ts'
import { standingOf } from '../converge/standing.ts'
import type { DeployContext, OnServer } from '../deploy-context.ts'
import { frozenRelease } from '../release/load-release.ts'

/** Services of the release before that are no part of this one: no name leads to them any more. */
export async function retire(
  context: OnServer & Pick<DeployContext, 'events'>,
  signal: AbortSignal,
): Promise<{ removed: string[] }> {
  const { parts, engine, deployment, server, run, events } = context
  const release = await frozenRelease(context)
  const at = { serverId: server.id, projectId: deployment.projectId }
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine, server: server.id, project: at.projectId, names: NO_NAMES },
    ...{ specs: [], patienceMs: 0 },
  })
  const removed: string[] = []
  const wanted = others(standingOf(parts, at, release, []))
  const { journal, guard } = { journal: newJournal(), guard: () => run.assertOwned() }
  await converge(machines, wanted, {
    ...{ journal, guard, signal },
    onOperation(one, state) {
      if (state !== 'done' || !('service' in one)) return
      removed.push(one.service)
      events.write('service', { service: one.service, status: 'removed' })
    },
  })
  const [why] = journal.whys.values()
  if (why) throw why
  return { removed }
}
