import { removeExpired } from '../access/people-store.ts'
import type { BaseParts } from '../parts.ts'
import { removeFormerLinks } from './former-link-store.ts'
import { sweepSignUps } from './sign-up-store.ts'
import { removeOldInvitations } from './store.ts'

/** Forgets sessions that ended and invitations and sign-ups nobody used; a handful of indexed deletes. */
export async function sweepAccess({ db }: Pick<BaseParts, 'db'>): Promise<void> {
  await removeExpired(db)
  await removeOldInvitations(db)
  await removeFormerLinks(db)
  await sweepSignUps(db)
}
