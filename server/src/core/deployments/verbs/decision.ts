import type { PendingDecision } from '@slipway/contract/decisions'
import { can } from '@slipway/contract/deployment-states'
import type { DeploymentPlan } from '@slipway/contract/plan'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { DriverFailure, Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { plan } from '../converge/plan.ts'
import type { ObservedServer } from '../converge/planning/observed.ts'
import { others, putBack, reroute } from '../converge/planning/wanted.ts'
import { showPlan } from '../converge/show-plan.ts'
import { standingOf } from '../converge/standing.ts'
import { choicesOf, fatesOf } from '../rollout/versions.ts'
import { routesTo } from '../routes/release-routes.ts'
import { routesWritten, withoutOthers } from '../routes/routes.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import { numbersOf } from '../rows/serving-store.ts'
import { stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'
import { observeForPreview } from './preview.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'edge' | 'config'>
const ASK_MS = 10_000

/** What keeping and rejecting would come to, before somebody decides: by the releases and the planner that both work with. */
export async function showDecision(
  parts: Parts,
  caller: Caller,
  id: string,
  signal: AbortSignal,
): Promise<PendingDecision> {
  const row = await requireDeployment(parts.db, caller, id)
  const { allowed, reason } = can.decide(stateOf(row))
  if (!allowed) throw new Refusal('no_decision_pending', reason ?? 'It does not await a decision.')
  const active = await store.findActive(parts.db, row.projectId)
  const late = AbortSignal.timeout(ASK_MS)
  const looked = await lookAndPlan(parts, row, active, AbortSignal.any([signal, late])).catch((error: Error) => {
    if (!(error instanceof DriverFailure) && !late.aborted) throw error
    const told = error instanceof DriverFailure ? error.message : 'The engine did not answer in time.'
    return { keep: null, reject: null, seenAt: null, now: null, unreachable: true as const, reason: told }
  })
  const { now, ...shown } = looked
  return { services: await servicesOf(parts, row, active, now), ...shown }
}

type Row = store.DeploymentRow
type Active = Awaited<ReturnType<typeof store.findActive>>
type Looked = { keep: DeploymentPlan; reject: DeploymentPlan; seenAt: string; now: ObservedServer }

/** The plans of both ways, from one look. */
async function lookAndPlan(parts: Parts, row: Row, active: Active, signal: AbortSignal): Promise<Looked> {
  const { orgId, projectId, serverId } = row
  const place = { projectId, serverId }
  const engine = openEngineTarget(parts, await servers.load(parts.db, orgId, serverId))
  const { before, kept } = choicesOf(parts, row, active)
  const leads = await routesTo(parts.db, parts, row, kept)
  const led = withoutOthers(await routesWritten(parts.db, place))
  const seenAt = new Date().toISOString()
  const { now, isSent } = await observeForPreview(parts, { engine, ...place }, signal)
  const without = <Route extends { host: string }>(routes: Route[]) => routes.filter((one) => !isSent(one))
  const next = standingOf(parts, place, kept, without(leads))
  const back = without(led).map(({ manner: _, ...route }) => route)
  const was = before.services.length === 0 ? null : { ...standingOf(parts, place, before, []), routes: back }
  const seen = { [serverId]: now }
  return {
    keep: showPlan([...plan(seen, reroute(next)), ...plan(seen, others(next))], now),
    reject: showPlan(plan(seen, putBack(was, 'failed')), now),
    ...{ seenAt, now },
  }
}

async function servicesOf(
  parts: Pick<Parts, 'db' | 'keys'>,
  row: Row,
  active: Active,
  now: ObservedServer | null,
): Promise<PendingDecision['services']> {
  const fates = fatesOf(parts, row, active)
  const seenOf = (name: string, written: ServiceSpec | null) =>
    now === null ? written : (now.services.find(({ service, leaving }) => service === name && !leaving) ?? null)
  const all = fates.map(({ name, runs, ...fate }) => ({ name, ...fate, runs: seenOf(name, runs) }))
  const ids = all.flatMap(({ ran, runs, ifKept }) => [ran, runs, ifKept].flatMap((one) => one?.deployment ?? []))
  const numbers = await numbersOf(parts.db, row.orgId, [...new Set(ids)])
  const form = (one: { deployment: string | null } | null) =>
    one?.deployment ? { deploymentId: one.deployment, number: numbers.get(one.deployment) ?? null } : null
  return all.map(({ name, ran, runs, ifKept, ifRejected }) => {
    const own = row.services.find((one) => one.name === name)
    const outcome = { status: own?.status ?? null, error: own?.error ?? null }
    return {
      ...{ name, ...outcome, ran: form(ran), runs: form(runs) },
      ...{ ifKept: form(ifKept), ifRejected: form(ifRejected) },
    }
  })
}
