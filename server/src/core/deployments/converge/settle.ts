import type { DeploymentService } from '@slipway/contract/deployment-shape'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Pipeline, Run } from '../../../jobs/steps.ts'
import * as domains from '../../domains/names/store.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { dropImages } from '../release/images.ts'
import { releaseOf } from '../release/release.ts'
import { ensureGround } from '../rollout/ground.ts'
import { makeWay } from '../rollout/make-way.ts'
import * as store from '../rows/store.ts'
import { forgetOtherPorts, postpone, serversOf, writeSettled } from './settle-store.ts'

const DEADLINE_MS = 3 * 60_000

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
      if ((await parts.runtime.owner.read(engine, { signal })).org !== orgId) {
        if (active?.serverId === serverId) throw new Error('The server of the active release does not serve us.')
        continue
      }
      if (active?.serverId === serverId) {
        if (!(await ensureReleaseRunning(here, active))) found.after = 'failed'
      } else await parts.runtime.withdraw(engine, projectId, { signal, guard: guardOf(run) })
      await run.write((tx) => forgetOtherPorts(tx, projectId))
      await routes(here)
      const except = active?.serverId === serverId ? { except: deploymentsIn(parts, active) } : {}
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

export type Here = {
  parts: DeployParts
  run: Run
  engine: EngineTarget
  serverId: string
  projectId: string
  signal: AbortSignal
}

const guardOf = (run: Run) => () => run.assertOwned()

/** Whether the active release runs, put back if something else does: all of it at once, whatever becomes of one of them. */
export async function ensureReleaseRunning(
  { parts, run, engine, projectId, signal }: Here,
  active: { id: string; release: string | null },
) {
  const release = releaseOf(parts, active)
  const { services } = release
  await run.assertOwned()
  await ensureGround(parts, { engine, org: run.orgId, project: projectId, release }, signal)
  const stand = async (spec: ServiceSpec): Promise<boolean> => {
    await makeWay({ parts, engine, signal, guard: guardOf(run) }, spec, { release: services })
    await parts.runtime.apply(engine, spec, { signal, interrupt: true, guard: guardOf(run) })
    const options = { deployment: spec.deployment, signal, deadlineMs: DEADLINE_MS }
    return (await parts.runtime.watch(engine, spec, options)).outcome === 'healthy'
  }
  const ends = await Promise.allSettled(services.filter(({ job }) => !job).map(stand))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (ends.some((end) => end.status === 'fulfilled' && !end.value)) return false
  // A job is never run again; but one that another deployment began under its name is not part of this release.
  const isPart = (one: { service: string; deployment: string | null }) =>
    services.some(({ service, job, deployment }) => service === one.service && (!job || deployment === one.deployment))
  const there = await parts.runtime.observe(engine, projectId, { signal })
  for (const { service, deployment } of there.filter((one) => !isPart(one))) {
    const options = { signal, guard: guardOf(run), deployments: [deployment] }
    await parts.runtime.remove(engine, { project: projectId, service }, options)
  }
  return true
}

/** The deployments that brought what a release consists of. */
const deploymentsIn = (parts: DeployParts, active: { id: string; release: string | null }) => [
  ...new Set([active.id, ...releaseOf(parts, active).services.map(({ deployment }) => deployment)]),
]

export async function routes({ parts, run, engine, serverId, projectId, signal }: Here): Promise<void> {
  const wanted = () => run.write((tx) => domains.routesOn(tx, serverId, projectId))
  await parts.edge.route(engine, projectId, wanted, signal).catch((error) => {
    if ((error as { code?: string }).code !== 'edge_missing') throw error
  })
}
