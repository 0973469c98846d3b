import type { BaseParts } from '../parts.ts'
import { openEngineTarget } from './open-engine-target.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>

/** A server carries one organization: the first to use its engine, by whatever address it is reached. */
export async function claimServer(parts: Parts, server: store.ServerRow, signal: AbortSignal) {
  const { engineId } = await parts.runtime.owner.claim(openEngineTarget(parts, server), server.orgId, { signal })
  if (engineId !== server.engineId) await store.saveEngine(parts.db, server, engineId)
  return { engineId }
}
