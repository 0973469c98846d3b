import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Run } from '../../../jobs/steps.ts'
import type { BaseParts } from '../../parts.ts'
import { routesWritten } from '../routes/routes.ts'
import type { Release } from '../rows/release.ts'
import { converge, newJournal } from './converge.ts'
import { machinesOn } from './execute.ts'
import { namesAt } from './names.ts'
import { reroute } from './planning/wanted.ts'
import { standingOf } from './standing.ts'

type Switching = {
  parts: Pick<BaseParts, 'db' | 'runtime' | 'edge'>
  run: Pick<Run, 'write' | 'assertOwned'>
  at: { engine: EngineTarget; serverId: string; projectId: string }
  release: Release
  /** Whether it is a failure that there is no edge. */
  mustHaveEdge?: boolean
}

/** The names of a project lead to its release as it is written down; nothing else of the server is touched. */
export async function switchRoutes(
  { parts, run, at, release, mustHaveEdge = false }: Switching,
  signal: AbortSignal,
): Promise<void> {
  const { engine, serverId: server, projectId: project } = at
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine, server, project, specs: [], patienceMs: 0 },
    names: namesAt(parts, at, run, { mustHaveEdge }),
  })
  const routes = await routesWritten(parts.db, at)
  const wanted = reroute({ ...standingOf(parts, at, release, []), routes })
  await converge(machines, wanted, { journal: newJournal(), guard: () => run.assertOwned(), signal })
}
