import type { RolloutState } from '../../../drivers/runtime/rollout/outcome.ts'

/**
 * For how long nothing of a service ran while it was replaced. That it did not is seen by looking; when the first task of the new one was
 * up, the engine knows better than whoever looks some time later. What ends after that is as long as it was seen.
 */
export function interruption(now = () => performance.now()) {
  let since: number | null = null
  let sum = 0
  let cameUp = false
  return {
    see({ running, old }: Pick<RolloutState, 'running' | 'old'>, upMs: number | null): void {
      if (running + old === 0) since ??= now()
      else if (since !== null) {
        const seen = now() - since
        sum += !cameUp && upMs !== null ? Math.min(seen, upMs) : seen
        since = null
      }
      cameUp ||= running > 0
    },
    ms: () => Math.round(sum),
  }
}
