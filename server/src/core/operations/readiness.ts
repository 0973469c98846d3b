import { type SchemaState, schemaState } from '../../db/migrate.ts'
import type { BaseParts } from '../parts.ts'

type Check = { ok: boolean; detail: string }

type Parts = Pick<BaseParts, 'db' | 'dataDir' | 'draining'>

/** Why a process drains whose sockets another one shares: who asks again asks that one. */
export const HANDING_OVER = new DOMException('Another process has the same sockets.', 'AbortError')

/** Whether this process can serve. Never throws: an unready process still says why. */
export async function readiness({ db, dataDir, draining }: Parts) {
  const checks: Record<string, Check> = {
    database: await database(db),
    dataDirectory: await space(dataDir),
    process: processOf(draining),
  }
  return { ok: Object.values(checks).every((check) => check.ok), checks }
}

function processOf(draining: AbortSignal): Check {
  if (!draining.aborted) return { ok: true, detail: 'running' }
  if (draining.reason === HANDING_OVER) return { ok: true, detail: 'handing over to another process' }
  return { ok: false, detail: 'shutting down' }
}

const LITTLE_BYTES = 1024 ** 3
const LITTLE_SHARE = 0.05

/** A full disk is told here and not acted on: what needs no room is still served, and no other process has a larger disk. */
async function space(dataDir: BaseParts['dataDir']): Promise<Check> {
  try {
    const { totalBytes, freeBytes } = await dataDir.space()
    const little = freeBytes < LITTLE_BYTES || freeBytes < totalBytes * LITTLE_SHARE
    return { ok: true, detail: little ? 'nearly full: uploads and builds will fail' : 'there, with room' }
  } catch {
    return { ok: false, detail: 'cannot be looked at: is its disk mounted?' }
  }
}

const DETAILS: Record<SchemaState, string> = {
  fits: 'reachable, migrated',
  'not migrated': 'not migrated',
  'too new': 'a newer version took away what this one needs',
}

async function database(db: BaseParts['db']): Promise<Check> {
  try {
    const state = await schemaState(db)
    return { ok: state === 'fits', detail: DETAILS[state] }
  } catch {
    return { ok: false, detail: 'not reachable' }
  }
}
