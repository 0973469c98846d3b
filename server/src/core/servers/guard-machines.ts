import { eachFairly } from '../fair-share.ts'
import type { BaseParts } from '../parts.ts'
import { openEngineTarget } from './open-engine-target.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'runtime' | 'log'>

const TOGETHER = { atOnce: 4, perOrg: 1 }
const GUARD_MS = 60_000

/** What keeps containers from a machine's own networks lasts until its next boot: all machines are seen to now and then. */
export async function guardMachines(parts: Parts, signal: AbortSignal): Promise<void> {
  await eachFairly(store.used(parts.db), { ...TOGETHER, signal }, async (server) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(GUARD_MS)])
    await guardMachine(parts, server, within).catch((error) => {
      if (!signal.aborted) parts.log.info({ err: error, server: server.id }, 'a machine could not be guarded')
    })
  })
}

type Few = Pick<Parts, 'keys' | 'config' | 'runtime'>

/** Of this process: a machine that nobody has guarded yet must be before the first container of a project starts there. */
const guarded = new Map<string, number>()
const AGAIN_MS = 10 * 60_000

export async function guardOnce(parts: Few, server: store.ServerRow, signal: AbortSignal): Promise<void> {
  if (performance.now() - (guarded.get(server.id) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return
  await guardMachine(parts, server, signal)
}

async function guardMachine(parts: Few, server: store.ServerRow, signal: AbortSignal) {
  const found = await parts.runtime.guard(openEngineTarget(parts, server), { signal })
  guarded.set(server.id, performance.now())
  return found
}
