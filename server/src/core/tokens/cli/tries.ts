import type { Database } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { networkOf } from '../../networks/network-of.ts'
import * as store from './store.ts'

const MINUTES = 10
/** Requests to be signed in, from one network. */
const MOST_ASKED = 60
/** Codes that nobody was given: by one person, and from one network. Counted in the database, by all processes alike. */
const MOST_BY_PERSON = 10
const MOST_FROM_NETWORK = 30

export async function countRequest(db: Database, address: string): Promise<void> {
  await count(db, `asked from ${networkOf(address)}`, MOST_ASKED, 'requests to sign in')
}

/**
 * Brute force. A code has 40 bits and lives for ten minutes: ten tries in that time find one of a thousand open requests
 * once in a hundred million times. What is returned takes the try back, for a code that was right.
 */
export async function countCode(db: Database, who: { userId: string; address: string }): Promise<() => Promise<void>> {
  const keys = [`codes by ${who.userId}`, `codes from ${networkOf(who.address)}`] as const
  await count(db, keys[0], MOST_BY_PERSON, 'codes')
  await count(db, keys[1], MOST_FROM_NETWORK, 'codes')
  return () => store.uncountTries(db, [...keys])
}

async function count(db: Database, key: string, most: number, what: string): Promise<void> {
  const { count, left } = await store.countTry(db, key, MINUTES)
  if (count <= most) return
  throw new Refusal('rate_limited', `More than ${most} ${what} were tried in ${MINUTES} minutes.`, {
    retryAfter: Math.max(1, left),
    hint: `Wait ${Math.max(1, left)} seconds.`,
  })
}
