import { setTimeout as sleep } from 'node:timers/promises'
import { claimInstance, noteWentBack } from '../core/instance/claim.ts'
import { mismatch } from '../core/instance/mismatch.ts'
import type { Platform } from '../core/platform.ts'
import type { Epoch } from '../db/epoch.ts'

/** `lost`: another database answers at the address of ours. Whoever goes on would do to one what the other says. */
export type Begun = { lost: Promise<Error> }

const AGAIN_MS = 1000

/** Sees that database and data directory belong together, and from then on that the database stays the same. */
export async function beginEpoch({ platform, epoch }: { platform: Platform; epoch: Epoch }): Promise<Begun> {
  const { pool, log, draining } = platform
  const now = await epoch.look(pool)
  const { id, wentBack } = await claimInstance(platform, now)
  if (wentBack) log.warn({ timeline: now.timeline }, 'the database lost its newest transactions; servers are compared')
  epoch.begin(now)
  const { promise: lost, resolve } = Promise.withResolvers<Error>()
  const note = async () => {
    while (!draining.aborted) {
      try {
        return await noteWentBack(platform, await epoch.look(pool))
      } catch (error) {
        log.warn({ err: error }, 'the change of the database could not be noted yet')
        await sleep(AGAIN_MS, undefined, { signal: draining }).catch(() => {})
      }
    }
  }
  epoch.onChange((change) => {
    if (change === 'another history') void note()
    else resolve(mismatch.copy(id))
  })
  return { lost }
}
