import { removeOldInvitations } from '../members/store.ts'
import type { Platform } from '../platform.ts'
import { removeExpired } from './people-store.ts'

/** Forgets sessions that ended and invitations nobody used; a handful of indexed deletes. */
export async function sweepAccess({ db }: Pick<Platform, 'db'>): Promise<void> {
  await removeExpired(db)
  await removeOldInvitations(db)
}
