import { transaction } from '../../../db/database.ts'
import { fairShare } from '../../fair-share.ts'
import type { BaseParts } from '../../parts.ts'
import { submitSettle } from './schedule-settle.ts'
import { dueProjects } from './settle-store.ts'

const MOST = 100
const SHARE = 10

/** Wakes what was left open and nobody is seeing to: its server was away, or the run that tried has failed. */
export async function settleDue({ db, transport }: Pick<BaseParts, 'db' | 'transport'>): Promise<void> {
  const due = await fairShare({ most: MOST, share: SHARE }, (most, except) => dueProjects(db, most, except))
  for (const project of due) {
    await transaction(db, (tx) => submitSettle(tx, transport, project))
  }
}
