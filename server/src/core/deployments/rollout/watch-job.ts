import type { Outcome, RolloutState } from '../../../drivers/runtime/rollout/outcome.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { DEADLINES } from '../converge/deadlines.ts'
import type { DeployContext } from '../deploy-context.ts'

/** Most are done by then. */
const FIRST_MS = 20_000
const LEAST_MS = 1000
const [SHORTEST_REST_MS, LONGEST_REST_MS] = [5000, 60_000]

type Watched = {
  specHash: string
  /** When an owner before this one began. */
  since: Date | undefined
  signal: AbortSignal
  onState(state: RolloutState): void
}

/**
 * How a job ended. While a task of it runs there is nothing to do: the run rests between two looks, the longer it has
 * taken the longer, and holds no worker meanwhile. Its hour counts from its beginning, whoever began it.
 */
export async function watchJob(context: DeployContext, spec: ServiceSpec, watched: Watched): Promise<Outcome> {
  const { parts, engine, run } = context
  const { specHash, since, signal, onState } = watched
  const began = since?.getTime() ?? Date.now()
  for (let again = since !== undefined; ; again = true) {
    const leftMs = began + DEADLINES.jobMs - Date.now()
    // Near its end it is watched to it.
    const look = lookOf(leftMs > FIRST_MS ? (again ? 0 : FIRST_MS) : null)
    const told = again ? changesOf(onState) : onState
    const watching = parts.runtime.watch(engine, spec, {
      deployment: spec.deployment,
      specHash,
      signal: AbortSignal.any([signal, look.signal]),
      deadlineMs: Math.max(LEAST_MS, leftMs),
      onState: (state) => {
        look.see(state)
        told(state)
      },
    })
    const outcome = await watching
      .catch((error: unknown) => {
        signal.throwIfAborted()
        if (!look.signal.aborted) throw error
        return undefined
      })
      .finally(look.end)
    if (outcome) return outcome
    await run.rest(Math.min(Math.max((Date.now() - began) / 10, SHORTEST_REST_MS), LONGEST_REST_MS), signal)
  }
}

/** Aborts after so long, or later as soon as something is seen to run. What does not run may be over: that takes a closer look. */
function lookOf(ms: number | null) {
  const over = new AbortController()
  let [runs, late] = [false, false]
  const check = () => {
    if (runs && late) over.abort()
  }
  const wait = () => {
    late = true
    check()
  }
  const timer = ms === null ? undefined : setTimeout(wait, ms)
  return {
    signal: over.signal,
    see({ tasks }: RolloutState) {
      runs = (tasks.running ?? 0) > 0
      check()
    },
    end: () => clearTimeout(timer),
  }
}

/** Without the first, which was told before. */
function changesOf(onState: (state: RolloutState) => void): (state: RolloutState) => void {
  let first = true
  return (state) => {
    if (!first) onState(state)
    first = false
  }
}
