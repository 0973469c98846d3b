import type { DeploymentPlan, PlanOperation } from '@slipway/contract/plan'
import { plan } from '../converge/plan.ts'
import type { Observed } from '../converge/planning/observed.ts'
import type { Fates, Operation } from '../converge/planning/operation.ts'
import type { Wanted } from '../converge/planning/wanted.ts'
import { showPlan } from '../converge/show-plan.ts'
import type { DeployContext } from '../deploy-context.ts'
import { savePlan } from '../rows/plan-store.ts'

/**
 * Keeps with a deployment what its rollout does, for people: the first plan as a whole, what was planned beside it later, as
 * when something fails, and how far each operation has come. Nothing is decided by it.
 */
export function planKeeper(
  { run, deployment, server }: Pick<DeployContext, 'run' | 'deployment' | 'server'>,
  wanted: Wanted,
) {
  let kept: DeploymentPlan | null = deployment.plan
  let writing: Promise<unknown> = Promise.resolve()
  let dirty = false

  const write = () => {
    if (dirty) return
    dirty = true
    const now = () => {
      dirty = false
      return run.write((tx) => (kept ? savePlan(tx, run.id, kept) : Promise.resolve()))
    }
    // Whoever has lost the run learns it from a write that matters.
    writing = writing.then(now).catch(() => {})
  }
  const mark = (id: string, state: PlanOperation['state']) => {
    if (!kept) return
    kept = { ...kept, operations: kept.operations.map((one) => (one.id === id ? { ...one, state } : one)) }
    write()
  }

  return {
    onPlan(_: Operation[], observed: Observed, fates: Fates): void {
      const now = observed[server.id]
      if (!now) return
      const whole = showPlan(plan(observed, { ...wanted, scope: 'all' }, fates), now)
      const before = kept
      const added = whole.operations.filter(({ id }) => !before?.operations.some((one) => one.id === id))
      if (added.length === 0) return
      kept = before ? { ...before, operations: [...before.operations, ...added] } : whole
      write()
    },
    onOperation: (one: Operation, state: 'begun' | 'done' | 'failed') =>
      mark(one.id, state === 'begun' ? 'running' : state),
    ended: () => writing,
  }
}
