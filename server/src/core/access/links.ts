import type { Queryable } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import type { Caller } from './caller.ts'

/** Who is linked with whom, for nouns below those that keep the links. */
export type Links = {
  /** At an instance: whether the organization is linked to a hosted cloud. */
  toCloud(db: Queryable, orgId: string): Promise<boolean>
  /** At a cloud: whether it is an instance that asks. */
  isInstance(db: Queryable, caller: Caller): Promise<boolean>
}

/** An id is chosen by whoever draws it; only of instances, which have it already, others are taken. */
export async function requireInstance(links: Links, db: Queryable, caller: Caller, field: string): Promise<void> {
  if (await links.isInstance(db, caller)) return
  throw new Refusal('invalid_request', `Only an instance that is linked to this cloud sends ${field}.`, {
    field,
    hint: 'Leave it out: the id is in the answer.',
  })
}

/** It exists, here or elsewhere; which of them is not said. */
export const idTaken = (field: string) =>
  new Refusal('conflict', 'This id cannot be had.', { field, hint: 'Draw another one.' })
