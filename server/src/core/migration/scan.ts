import type { BodyOf } from '@slipway/contract/endpoint'
import type { migration } from '@slipway/contract/migration'
import { transaction } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { requireServer } from '../servers/find.ts'
import { openEngineTarget } from '../servers/open-engine-target.ts'
import { describe } from './describe.ts'
import { discover } from './discover.ts'
import type { ScanSemaphore } from './scan-semaphore.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'serverReading'> & { scans: ScanSemaphore }

/** What runs on a server, and what of it could be adopted. Nothing there is changed. */
export async function scanServer(
  parts: Parts,
  caller: Caller,
  { serverId, sizes }: BodyOf<typeof migration.scan>,
  signal: AbortSignal,
) {
  const server = await requireServer(parts.db, caller, serverId)
  const look = { orgId: caller.orgId, sizes, around: true }
  const found = await parts.scans(server.id, signal, () =>
    discover(parts, openEngineTarget(parts, server), look, signal),
  )
  const { length } = found.units
  await transaction(parts.db, (tx) => record(tx, caller, 'server.scan', server.id, { services: length }))
  return { success: true as const, stack: describe(found) }
}
