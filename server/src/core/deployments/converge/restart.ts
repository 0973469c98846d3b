import type { DeploymentError, DeploymentService } from '@slipway/contract/deployment-shape'
import type { Tx } from '../../../db/database.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Pipeline, Run } from '../../../jobs/steps.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { converge, newJournal } from './converge.ts'
import { DEADLINES } from './deadlines.ts'
import { DidNotComeUp, machinesOn } from './execute.ts'
import { NO_NAMES } from './names.ts'
import { restart as restarted } from './planning/wanted.ts'
import { standingOf } from './standing.ts'

export type RestartInput = { deployment: string }

/** What became of one service. `serves`: as before the restart, or anew. */
type Restarted = { service: string; serves: boolean; error: DeploymentError | null }

/**
 * New containers of the active release, one after the other: whoever asks it notices nothing. In its turn among the
 * deployments of the project, and told by what the engine's tasks show. It is not a deployment: its steps and its end stay
 * out of the deployment's own story, and only the state of the services changes.
 */
export const restartPipeline = (parts: DeployParts): Pipeline => ({
  async run(run) {
    const { deployment: id } = run.input as RestartInput
    const deployment = await store.find(parts.db, { orgId: run.orgId, projectId: null }, id)
    // It is gone, or a newer release has taken its place, whose containers are new.
    if (!deployment?.active) return
    const server = await servers.load(parts.db, run.orgId, deployment.serverId)
    await run.step('restart', (signal) => restart(parts, run, openEngineTarget(parts, server), deployment, signal), {
      onStart: (tx) => tell(tx, run.orgId, id, () => ({ status: 'deploying', error: null })),
      onEnd: (tx, ended: Restarted[]) => tell(tx, run.orgId, id, (name) => after(ended, name)),
    })
  },
  async onEnd(tx, run, { outcome, reason }) {
    if (outcome === 'succeeded') return
    const { deployment } = run.input as RestartInput
    const why = reason && errorOf(reason.code, reason.message, reason.hint ?? null, null)
    // Nobody could ask the engine: the containers of before are the last that is known.
    await tell(tx, run.orgId, deployment, () => ({ status: 'healthy', error: why }))
  },
})

type Row = { id: string; projectId: string; serverId: string; release: string | null }

async function restart(parts: DeployParts, run: Run, engine: EngineTarget, row: Row, signal: AbortSignal) {
  const { projectId, serverId } = row
  const release = releaseOf(parts, row)
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine, server: serverId, project: projectId, names: NO_NAMES },
    ...{ specs: release.services, patienceMs: DEADLINES.forwardMs },
  })
  const journal = newJournal()
  const wanted = restarted(standingOf(parts, row, release, []), run.id)
  await converge(machines, wanted, { journal, guard: () => run.assertOwned(), signal })
  // A job is over, and would do its work a second time.
  const services = release.services.filter(({ job }) => !job)
  return services.map(({ service }) => endOf(service, journal.whys.get(service)))
}

function endOf(service: string, why: Error | undefined): Restarted {
  if (!why) return { service, serves: true, error: null }
  if (!(why instanceof DidNotComeUp))
    return { service, serves: true, error: errorOf('update_running', why.message, null, service) }
  const { code, message, hint } = why.failure.error
  return { service, serves: servesStill(why), error: errorOf(code, message, hint, service) }
}

/** The engine went back to the containers of before. */
const servesStill = ({ outcome }: DidNotComeUp) => outcome === 'rolled-back' || outcome === 'paused'

const errorOf = (code: string, message: string, hint: string | null, service: string | null): DeploymentError => ({
  code,
  step: 'restart',
  service,
  message,
  hint,
  logSeq: null,
})

type State = Pick<DeploymentService, 'status' | 'error'>

function after(ended: Restarted[], name: string): State {
  const own = ended.find(({ service }) => service === name)
  return { status: own && !own.serves ? 'failed' : 'healthy', error: own?.error ?? null }
}

/** What is known about a service while it is restarted; nobody is shown it. */
type Remembering = DeploymentService & { was?: State }

/** A restart that went well changes nothing of what is known: what is not its own failure is as it was before. */
function change({ was, ...service }: Remembering, next: State): Remembering {
  const known = was ?? { status: service.status, error: service.error }
  if (next.status === 'pending' || next.status === 'deploying') return { ...service, ...next, was: known }
  const isOfRestart = known.error?.step === 'restart'
  const wentWell = next.status === 'healthy' && next.error === null
  return { ...service, ...(wentWell && was && !isOfRestart ? known : next) }
}

/** Changes how the services of a deployment are, where it is still there. */
export async function tell(tx: Tx, orgId: string, id: string, stateOf: (service: string) => State): Promise<void> {
  const row = await store.find(tx, { orgId, projectId: null }, id)
  if (!row) return
  const services = row.services.map((service: Remembering) => change(service, stateOf(service.name)))
  await store.update(tx, id, { services: JSON.stringify(services) })
}
