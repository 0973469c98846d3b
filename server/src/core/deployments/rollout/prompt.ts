import type { Run } from '../../../jobs/steps.ts'
import { DEADLINES } from '../converge/deadlines.ts'

/** How long an undoing may take that somebody waits for: what takes longer is seen to afterwards. */
export const promptMs = (run: Pick<Run, 'abortedForMs'>): number =>
  Math.max(DEADLINES.leastMs, Math.round(DEADLINES.promptMs - run.abortedForMs()))
