import type { DeploymentService } from '@slipway/contract/deployment-shape'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Pipeline, Run } from '../../../jobs/steps.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { dropImages } from '../release/images.ts'
import { forgetOtherPorts } from '../routes/routed-store.ts'
import { routesWritten, withoutOthers } from '../routes/routes.ts'
import { ranOn } from '../rows/engine-of-release.ts'
import { type Release, releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { converge, newJournal } from './converge.ts'
import { DEADLINES } from './deadlines.ts'
import { machinesOn } from './execute.ts'
import { ensureGround } from './ground.ts'
import { type Names, namesAt } from './names.ts'
import { settle as settled, type Wanted } from './planning/wanted.ts'
import { postpone, serversOf, writeSettled } from './settle-store.ts'
import { standingOf } from './standing.ts'

/** How the services of a project are, as their engine reports, and whether something is left to be done. */
type Found = { after: DeploymentService['status']; again: boolean; names: string[] }

/**
 * Brings what a project has on its servers in line with what is written down, and writes down what it found: after a
 * deployment whose end left something open, because its undoing took too long, failed, or killed whoever tried.
 */
export const settlePipeline = (parts: DeployParts): Pipeline => ({
  run: (run) =>
    run.step('settle', (signal) => settle(parts, run, signal), {
      onEnd: (tx, found: Found) => writeSettled(tx, run.lane, found),
    }),
  async onEnd(tx, run, { outcome }) {
    if (outcome !== 'succeeded') await postpone(tx, run.lane)
  },
})

async function settle(parts: DeployParts, run: Run, signal: AbortSignal): Promise<Found> {
  const { orgId, lane: projectId } = run
  const active = await store.findActive(parts.db, projectId)
  const names = releaseOf(parts, active).services.map(({ service }) => service)
  const found: Found = { after: active ? 'restored' : 'removed', again: false, names }
  for (const serverId of await serversOf(parts.db, orgId, projectId)) {
    const server = await servers.load(parts.db, orgId, serverId)
    const engine = openEngineTarget(parts, server)
    const here = { parts, run, engine, serverId, projectId, signal }
    try {
      // An engine that serves others has nothing of ours; but then the release that is active there runs nowhere.
      const { org, engineId } = await parts.runtime.owner.read(engine, { signal })
      if (org !== orgId) {
        if (active?.serverId === serverId) throw new Error('The server of the active release does not serve us.')
        continue
      }
      // Names lead only to what the engine of a server has run.
      if (engineId !== server.engineId) await servers.saveEngine(parts.db, server, engineId)
      const wanted = active?.serverId === serverId && ranOn(active, engineId) ? active : null
      // Nobody has decided that it is to run on another engine than its own: what else is here of the project goes.
      if (active?.serverId === serverId && wanted === null) found.after = 'removed'
      if (!(await settleOn(here, wanted))) found.after = 'failed'
      await run.write((tx) => forgetOtherPorts(tx, projectId))
      const except = wanted ? { except: deploymentsIn(parts, wanted) } : {}
      const ended = { signal, guard: guardOf(run), ...except }
      const { alive } = await parts.runtime.removeEnded(engine, projectId, ended)
      found.again ||= alive > 0
      const { inUse } = await dropImages(parts, { engine, orgId, projectId, guard: guardOf(run) }, signal)
      found.again ||= inUse.length > 0
    } catch (error) {
      signal.throwIfAborted()
      // A server that the project has left may be gone for good; the one it runs on decides.
      if (active === undefined || active.serverId === serverId) throw error
      parts.log.info({ err: error, server: serverId, project: projectId }, 'a former server could not be cleared')
      found.again = true
    }
  }
  return found
}

type Here = {
  parts: DeployParts
  run: Run
  engine: EngineTarget
  serverId: string
  projectId: string
  signal: AbortSignal
}

type Released = { id: string; release: string | null }

const guardOf = (run: Run) => () => run.assertOwned()

/** Whether what is to run there does: all of it at once, whatever becomes of one of them, and nothing else. */
async function settleOn(here: Here, active: Released | null): Promise<boolean> {
  const { parts, run, projectId } = here
  const names = namesAt(parts, here, run, { write: (tx) => forgetOtherPorts(tx, projectId) })
  if (active === null) return bringTo(here, { services: [] }, { names, wanted: settled(null) })
  const release = releaseOf(parts, active)
  const routes = withoutOthers(await routesWritten(parts.db, here))
  const wanted = settled({ ...standingOf(parts, here, release, []), routes })
  return bringTo(here, release, { names, wanted })
}

/** Whether a release that is known to be good runs where it is wanted. */
export async function bringTo(
  { parts, run, engine, serverId, projectId, signal }: Here,
  release: Release,
  { names, wanted }: { names: Names; wanted: Wanted },
): Promise<boolean> {
  const makeNetworks = () => ensureGround(parts, { engine, org: run.orgId, project: projectId, release }, signal)
  await run.assertOwned()
  if (release.services.length > 0) await makeNetworks()
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine, server: serverId, project: projectId, names, makeNetworks },
    ...{ specs: release.services, patienceMs: DEADLINES.backMs },
  })
  const journal = newJournal()
  const { end } = await converge(machines, wanted, { journal, guard: guardOf(run), signal })
  return end === 'reached'
}

/** The deployments that brought what a release consists of. */
const deploymentsIn = (parts: DeployParts, active: Released) => [
  ...new Set([active.id, ...releaseOf(parts, active).services.map(({ deployment }) => deployment)]),
]
