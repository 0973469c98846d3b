import type { Tx } from '../../../db/database.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Run } from '../../../jobs/steps.ts'
import { claimServer } from '../../servers/claim.ts'
import { guardOnce } from '../../servers/guard-machines.ts'
import { converge, type Machines } from '../converge/converge.ts'
import { DEADLINES } from '../converge/deadlines.ts'
import { machinesOn } from '../converge/execute.ts'
import { ensureGround } from '../converge/ground.ts'
import { type Names, namesAt } from '../converge/names.ts'
import { outs } from '../converge/planning/held.ts'
import type { Fates } from '../converge/planning/operation.ts'
import { rollout, type Wanted } from '../converge/planning/wanted.ts'
import { standingOf } from '../converge/standing.ts'
import type { Because, DeployContext, OnServer } from '../deploy-context.ts'
import type { Frozen } from '../parts.ts'
import { wholeActive } from '../release/load-release.ts'
import { type Patiently, patiently } from '../release/lost-lines.ts'
import { leadToBoth, routesTo } from '../routes/release-routes.ts'
import { routesWritten, tellEdgeIfAny } from '../routes/routes.ts'
import { DeployFailure } from '../rows/failure.ts'
import { openRelease, type Release } from '../rows/release.ts'
import { explainStep } from './explain-step.ts'
import { fateJournal } from './fate-journal.ts'
import { planKeeper } from './keep-plan.ts'
import { putBack } from './put-back.ts'
import { fateIn, type ServiceOutcome, serviceSteps } from './service-steps.ts'
import { teller } from './tell-rollout.ts'

/**
 * Brings the frozen release up, service by service: each when those it waits for are there, several at a time. Of several,
 * one that fails is back on what it was before when its step ends, and the others go on.
 */
export async function rollOut(
  context: DeployContext,
  step: Run['step'],
  { sealed }: Frozen,
): Promise<ServiceOutcome[]> {
  const { parts, deployment, run } = context
  // As it was frozen: what somebody has decided to keep of it is another, and the steps are those of the first.
  const release = openRelease(parts, deployment.id, sealed)
  const undo = once((signal, _, because) => putBack(context, signal, because))
  const services = release.services.map(({ service }) => service)
  const steps = serviceSteps({ run, step, services, undo })
  try {
    const known = await steps.replay()
    const wanted = await wantedOf(context, release)
    const fates: Fates = {}
    for (const { service, job = false } of release.services) {
      const before = known.get(service)
      const fate = before && fateIn(before, job)
      if (fate) fates[service] = fate
    }
    const journal = fateJournal(context, { release, wanted, steps, fates, known })
    if (!isOver(wanted, known, fates)) {
      await steps.begin(firstOf(wanted))
      const bringUp = async () => {
        const again = patiently(context, 'rollout')
        const working = { release, steps, wanted, again }
        const { machines, onOperation } = await again(run.signal, () => machinesFor(context, working))
        const kept = planKeeper(context, wanted)
        await converge(machines, wanted, {
          ...{ journal, guard: () => run.assertOwned(), signal: run.signal, onPlan: kept.onPlan },
          onOperation(one, state) {
            kept.onOperation(one, state)
            onOperation(one, state)
          },
        }).finally(kept.ended)
      }
      await inTurn(context, bringUp)
    }
    return await journal.outcomes()
  } catch (error) {
    const told = await steps.abandon(error)
    throw told instanceof DeployFailure
      ? told
      : await explainStep(context, { step: 'rollout', signal: run.signal }, told)
  }
}

/**
 * At more than that on one engine at once each only takes longer, until the engine has no time left for its own checks: then what is
 * healthy looks ill. By the engine, as builds are. Going back does not wait for those who go forward.
 */
const ROLLOUTS_AT_ONCE = 8

function inTurn(
  { run, server, deployment }: Pick<DeployContext, 'run' | 'server' | 'deployment'>,
  work: () => Promise<void>,
): Promise<void> {
  if (deployment.trigger === 'rollback') return work()
  return run.limit(`rollout:${server.engineId ?? server.id}`, ROLLOUTS_AT_ONCE, run.signal, work)
}

/** Whether owners before this one have come to the end of it: then nobody looks at the engine again. */
function isOver(wanted: Wanted, known: Map<string, ServiceOutcome>, fates: Fates): boolean {
  const out = outs(wanted, fates)
  return wanted.services.every(({ service }) => known.has(service) || (out.get(service)?.by ?? null) !== null)
}

/** A step is open from before the first change on, so that it is undone. */
const firstOf = ({ services, deployment }: Wanted): string =>
  (services.find((spec) => spec.deployment === deployment) ?? services[0])?.service ?? ''

async function wantedOf(context: DeployContext, release: Release): Promise<Wanted> {
  const { parts, deployment, server } = context
  const at = { serverId: server.id, projectId: deployment.projectId }
  const before = await wholeActive(context)
  const active = before.services.length === 0 ? null : standingOf(parts, at, before, [])
  const routes = await routesTo(parts.db, parts, deployment, release)
  return { ...rollout(standingOf(parts, at, release, routes), active, deployment.id), scope: 'rollout' }
}

type Working = {
  release: Release
  steps: ReturnType<typeof serviceSteps>
  wanted: Wanted
  again: Patiently
}

/** The server as this rollout uses it: what is done is told, and each service's step is open before it is touched. */
async function machinesFor(context: DeployContext, { release, steps, wanted, again }: Working) {
  const { parts, engine, deployment, server, run } = context
  const { orgId: org, projectId: project } = deployment
  await claimServer(parts, server, run.signal)
  await guardOnce(parts, server, run.signal)
  const makeNetworks = (signal: AbortSignal) => ensureGround(parts, { engine, org, project, release }, signal)
  await makeNetworks(run.signal)
  const specs: ServiceSpec[] = [...release.services, ...(await wholeActive(context)).services]
  const telling = teller(context, release, steps.since)
  const base = machinesOn({
    ...{
      runtime: parts.runtime,
      engine,
      server: server.id,
      project,
      specs,
      patienceMs: DEADLINES.backMs,
      makeNetworks,
    },
    ...{ names: await namesFor(context, wanted), patiently: again, ...telling.place },
    async explain(service, error, signal) {
      const told = await explainStep(context, { step: steps.nameOf(service), signal }, error)
      return told instanceof Error && told !== error ? told : undefined
    },
  })
  const isPart = (name: string) => release.services.some(({ service }) => service === name)
  const machines: Machines = {
    ...base,
    async act(one, options) {
      if ('service' in one && isPart(one.service)) await steps.begin(one.service)
      telling.begin(one)
      return base.act(one, options)
    },
  }
  return { machines, onOperation: telling.onOperation }
}

/** While two of a service run, names lead to both ports; when the rollout has ended they are led to it by another step. */
async function namesFor({ parts, engine, deployment, server, run }: OnServer, wanted: Wanted): Promise<Names> {
  const at = { engine, serverId: server.id, projectId: deployment.projectId }
  const routes = await routesWritten(parts.db, at)
  // Written down by an owner before, who may have been killed before the edge heard of it.
  if (routes.some(({ also }) => also !== undefined)) await tellEdgeIfAny(parts, at, run, run.signal)
  const write = async (tx: Tx) => ((await leadToBoth(tx, deployment, wanted.routes)) ? undefined : 'unchanged')
  return namesAt(parts, at, run, { write, unasked: true })
}

type Undo = (signal: AbortSignal, output: unknown, because: Because) => Promise<unknown>

/** Going back is done once, however many steps ask for it. */
function once(work: Undo): Undo {
  let begun: Promise<unknown> | undefined
  return (...args) => {
    begun ??= work(...args)
    return begun
  }
}
