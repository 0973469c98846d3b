import { transaction } from '../../db/database.ts'
import type { Platform } from '../platform.ts'
import { dueProjects } from './settle-store.ts'
import { submitSettle } from './unsettled.ts'

const MOST = 100

/** Wakes what was left open and nobody is seeing to: its server was away, or the run that tried has failed. */
export async function settleDue({ db, transport }: Pick<Platform, 'db' | 'transport'>): Promise<void> {
  for (const project of await dueProjects(db, MOST)) {
    await transaction(db, (tx) => submitSettle(tx, transport, project))
  }
}
