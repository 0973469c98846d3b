import type { DeploymentError } from '@slipway/contract/deployment-shape'
import type { Tx } from '../../../db/database.ts'
import type { Pipeline, Run, RunFacts } from '../../../jobs/steps.ts'
import { record } from '../../audit/record.ts'
import * as domains from '../../domains/names/store.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { namesAt } from '../converge/names.ts'
import { restoreAfterRelease } from '../converge/planning/wanted.ts'
import { scheduleSettle } from '../converge/schedule-settle.ts'
import { bringTo } from '../converge/settle.ts'
import { standingOf } from '../converge/standing.ts'
import { append } from '../events/events-store.ts'
import type { DeployParts } from '../parts.ts'
import { leadToBoth } from '../routes/release-routes.ts'
import { forgetOtherPorts, setRouted } from '../routes/routed-store.ts'
import { routeOf, withoutOthers } from '../routes/routes.ts'
import { ranOn } from '../rows/engine-of-release.ts'
import { releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { startWatch } from './watch-store.ts'

/** What was seen of a release that does not hold. */
export type Trouble = { service: string; message: string }

export type RestoreInput = { deployment: string; previous: string | null; trouble: Trouble }

const AGAIN_SECONDS = 60

/** Whether the release before serves again; null: there is none, or this one is not the project's any more. */
type Restored = { back: boolean | null }

/**
 * A release that does not hold goes, and the one before it comes back: its own stored specs, and the names lead to it.
 * That is said when the engine's tasks show it. Without one before, it stays what it is and is called what it is.
 */
export const restorePipeline = (parts: DeployParts): Pipeline => ({
  run: (run) =>
    run.step('restore', (signal) => restore(parts, run, signal), {
      onEnd: (tx, restored: Restored) => tell(parts, tx, run, restored),
    }),
  async onEnd(tx, run, { outcome }) {
    if (outcome === 'succeeded') return
    // The engine could not be asked: it is watched on, and what does not hold is taken back then.
    const { deployment, previous } = run.input as RestoreInput
    const active = await store.findActive(tx, run.lane)
    if (active?.id === deployment) await startWatch(tx, deployment, AGAIN_SECONDS, previous)
  },
})

async function restore(parts: DeployParts, run: Run, signal: AbortSignal): Promise<Restored> {
  const { deployment, previous } = run.input as RestoreInput
  const active = await store.findActive(parts.db, run.lane)
  if (active?.id !== deployment || previous === null) return { back: null }
  const before = await store.find(parts.db, { orgId: run.orgId, projectId: run.lane }, previous)
  if (!before || before.release === null || before.serverId !== active.serverId) return { back: null }
  if (!ranOn(before, active.engineId)) return { back: null }
  const server = await servers.load(parts.db, run.orgId, active.serverId)
  const here = { parts, run, engine: openEngineTarget(parts, server), serverId: server.id, projectId: run.lane, signal }
  const release = releaseOf(parts, before)
  const leadBack = async (tx: Tx) => {
    await setRouted(tx, run.lane, before.id)
    await forgetOtherPorts(tx, run.lane)
  }
  // While it comes back, names lead to where both listen.
  const names = namesAt(parts, here, run, {
    write: (tx, kind) => (kind === 'route-both' ? leadToBoth(tx, active, before.routes) : leadBack(tx)),
  })
  const routes = withoutOthers((await domains.routesOf(parts.db, run.lane, before.id)).map(routeOf))
  const wanted = restoreAfterRelease({ ...standingOf(parts, here, release, []), routes })
  if (!(await bringTo(here, release, { names, wanted }))) return { back: false }
  // Where both releases listen on the same ports the edge need not be told.
  await run.write(leadBack)
  return { back: true }
}

async function tell({ transport }: DeployParts, tx: Tx, run: RunFacts, { back }: Restored): Promise<void> {
  const { deployment: id, previous, trouble } = run.input as RestoreInput
  const active = await store.findActive(tx, run.lane)
  const row = await store.find(tx, { orgId: run.orgId, projectId: run.lane }, id)
  if (!row || active?.id !== id) return
  const error: DeploymentError = {
    code: 'unstable',
    step: 'watch',
    service: trouble.service,
    message: trouble.message,
    hint: back
      ? 'The release before serves again. Its last lines show why it ended; deploy again when it is mended.'
      : 'There is no release before it that could be brought back. Its last lines show why it ended.',
    logSeq: null,
  }
  const status = back ? ('restored' as const) : ('failed' as const)
  const services = row.services.map((one) => ({
    ...one,
    status,
    error: one.name === trouble.service ? error : one.error,
  }))
  await store.update(tx, id, { status: 'failed', error: JSON.stringify(error), services: JSON.stringify(services) })
  if (back && previous !== null) {
    await store.activate(tx, run.lane, previous)
    await store.pauseAutoDeploy(tx, run.lane)
  }
  // What it leaves behind: containers that ended, and its images when the window has passed; and where the one before does
  // not run either, its specs on the engine.
  await scheduleSettle(tx, transport, row)
  await append(tx, id, null, [
    { type: 'status', at: new Date(), data: { status: 'failed', error, restored: back ? previous : null } },
  ])
  const who = { kind: 'system' as const, name: 'watch after release', orgId: run.orgId }
  await record(tx, who, 'deployment.restore', id, { projectId: run.lane, restored: back ? previous : null })
}
