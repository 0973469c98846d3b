import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Run } from '../../../jobs/steps.ts'
import type { BaseParts } from '../../parts.ts'
import { converge, newJournal } from './converge.ts'
import { machinesOn } from './execute.ts'
import { namesAt } from './names.ts'
import type { Wanted } from './planning/wanted.ts'

type Parts = Pick<BaseParts, 'runtime' | 'edge'>
type At = { engine: EngineTarget; serverId: string; projectId: string }

/** Takes all of a project away from a server: by then it is written down that no name leads there. */
export async function clearServer(
  parts: Parts,
  at: At,
  wanted: Wanted,
  run: Pick<Run, 'write' | 'assertOwned'>,
  signal: AbortSignal,
): Promise<void> {
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine: at.engine, server: at.serverId, project: at.projectId },
    names: namesAt(parts, at, run),
    ...{ specs: [], patienceMs: 0, volumes: wanted.volumes === 'delete' },
  })
  await converge(machines, wanted, { journal: newJournal(), guard: () => run.assertOwned(), signal })
}
