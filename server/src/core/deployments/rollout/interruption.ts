import type { RolloutState } from '../../../drivers/runtime/rollout/outcome.ts'

/**
 * For how long nothing of a service ran while it was replaced. That it did not is seen by looking; when the first task of the new one was
 * up, the engine knows better than whoever looks some time later.
 */
export function interruption(now = () => performance.now()) {
  let since: number | null = null
  let sum = 0
  return {
    see({ running, old }: Pick<RolloutState, 'running' | 'old'>, upMs: number | null): void {
      if (running + old === 0) since ??= now()
      else if (since !== null) {
        const seen = now() - since
        sum += sum === 0 && upMs !== null ? Math.min(seen, upMs) : seen
        since = null
      }
    },
    ms: () => Math.round(sum),
  }
}
