import type { Tx } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { Run, StepOptions } from '../../../jobs/steps.ts'
import type { BaseParts } from '../../parts.ts'
import type { ProjectRow } from '../../projects/store.ts'
import type { ForwardParts } from '../forward.ts'
import * as promotions from '../promotion-store.ts'
import { type Ask, askCloud, NotYet } from './ask-cloud.ts'

export type PromoteParts = ForwardParts & Pick<BaseParts, 'config' | 'blobs' | 'log'>
/** `project` and `promotion` as they were when this owner took the run up. */
export type Promoting = {
  parts: PromoteParts
  run: Run
  project: ProjectRow
  promotion: promotions.PromotionRow
}

/** How long a cloud may be away, and a deployment there may take. */
const MOST_MS = 24 * 3_600_000
const SHORTEST_MS = 2000
const LONGEST_MS = 60_000

type Options<T> = Pick<StepOptions<T>, 'onStart' | 'onEnd'> & {
  /** As the action, with as much patience. */
  undo?(ask: Ask, because: 'failed' | 'cancelled'): Promise<unknown>
}

/** A step that asks the cloud. While the cloud is away the run rests, and then the step begins anew: each of them may be repeated. */
export function perform<T>(
  promoting: Promoting,
  name: string,
  act: (ask: Ask) => Promise<T>,
  options: Options<T> = {},
): Promise<T> {
  const { run } = promoting
  const { undo, onStart, onEnd } = options
  return run.step<T>(name, (signal) => patiently(promoting, name, signal, act), {
    onStart: async (tx: Tx) => {
      await promotions.setStep(tx, run.orgId, run.id, name)
      await onStart?.(tx)
    },
    ...(onEnd && { onEnd }),
    ...(undo && {
      undo: (signal, _, because) => patiently(promoting, `undo:${name}`, signal, (ask) => undo(ask, because)),
    }),
  })
}

async function patiently<T>(
  { parts, run, promotion }: Promoting,
  step: string,
  signal: AbortSignal,
  act: (ask: Ask) => Promise<T>,
): Promise<T> {
  const { createdBy, cloudOrgId } = promotion
  const by = { orgId: run.orgId, requestId: createdBy.requestId, cloudOrgId }
  const ask: Ask = async (call) => {
    // A content is what its name says, whoever sends it.
    if (call.method !== 'GET' && call.body === undefined) await run.assertOwned()
    return askCloud(parts, by, call, signal)
  }
  const began = run.since(step)?.getTime() ?? Date.now()
  for (;;) {
    try {
      return await act(ask)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof NotYet)) throw error
      const passed = Date.now() - began
      if (passed > MOST_MS) throw tooLong(error)
      await run.rest(error.restMs ?? Math.min(Math.max(passed / 10, SHORTEST_MS), LONGEST_MS), signal)
    }
  }
}

const tooLong = (cause: Error) =>
  new Refusal('cloud_unreachable', 'The hosted cloud did not come to an end with this within a day.', {
    hint: 'See that it answers (GET /api/cloud/link), then promote again.',
    cause,
  })
