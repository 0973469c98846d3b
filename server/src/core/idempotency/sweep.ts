import type { BaseParts } from '../parts.ts'
import { removeOld } from './store.ts'

const BATCH = 5000

/** Forgets answers older than a day, a bounded batch at a time. */
export async function sweepIdempotency({ db }: Pick<BaseParts, 'db'>): Promise<void> {
  while ((await removeOld(db, BATCH)) === BATCH);
}
