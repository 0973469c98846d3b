import { type SchemaState, schemaState } from '../../db/migrate.ts'
import type { Platform } from '../platform.ts'

type Check = { ok: boolean; detail: string }

/** Whether this process can serve. Never throws: an unready process still says why. */
export async function readiness({ db, draining }: Pick<Platform, 'db' | 'draining'>) {
  const checks: Record<string, Check> = {
    database: await database(db),
    process: draining.aborted ? { ok: false, detail: 'shutting down' } : { ok: true, detail: 'running' },
  }
  return { ok: Object.values(checks).every((check) => check.ok), checks }
}

const DETAILS: Record<SchemaState, string> = {
  fits: 'reachable, migrated',
  'not migrated': 'not migrated',
  'too new': 'a newer version took away what this one needs',
}

async function database(db: Platform['db']): Promise<Check> {
  try {
    const state = await schemaState(db)
    return { ok: state === 'fits', detail: DETAILS[state] }
  } catch {
    return { ok: false, detail: 'not reachable' }
  }
}
