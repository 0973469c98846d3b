import { eachFairly } from '../fair-share.ts'
import type { BaseParts } from '../parts.ts'
import { openEngineTarget } from './open-engine-target.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'runtime' | 'log'>

const TOGETHER = { atOnce: 4, perOrg: 1 }
const DEADLINE_MS = 30_000

/** A restart of an engine may block networks for good: nothing on them starts until they are freed. */
export async function freeNetworks(parts: Parts, signal: AbortSignal): Promise<void> {
  await eachFairly(store.used(parts.db), { ...TOGETHER, signal }, async (server) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
    const freed = await parts.runtime
      .freeNetworks(openEngineTarget(parts, server), { signal: within })
      .catch((error) => {
        if (!signal.aborted) parts.log.info({ err: error, server: server.id }, 'networks could not be looked at')
        return []
      })
    if (freed.length > 0)
      parts.log.warn(
        { server: server.id, networks: freed.slice(0, 20) },
        'networks that a restart had blocked were freed',
      )
  })
}
