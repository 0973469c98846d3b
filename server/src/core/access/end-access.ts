import type { Tx } from '../../db/database.ts'
import { record } from '../audit/record.ts'
import * as people from './people-store.ts'

type Origin = { address: string; requestId: string }

/**
 * Ends all that a person was let in with, except the token that the operator made together with the link: whoever made
 * the reset necessary may have a session that renews itself, and tokens made with it. Every organization that loses a
 * token hears of it.
 */
export async function endAccess(tx: Tx, person: { userId: string; orgId: string }, keep: string | null, from: Origin) {
  const sessions = await people.endSessions(tx, person.userId, null)
  await people.endApprovals(tx, person.userId)
  const byOrg = new Map<string, string[]>([[person.orgId, []]])
  for (const { orgId, id } of await people.endTokens(tx, person.userId, keep)) {
    byOrg.set(orgId, [...(byOrg.get(orgId) ?? []), id])
  }
  for (const [orgId, ended] of byOrg) {
    const actor = { kind: 'system', name: "the operator's setup link", orgId, ...from } as const
    const detail = { sessions, tokens: ended.length, which: ended.slice(0, MOST_NAMED) }
    await record(tx, actor, 'password.reset', person.userId, detail)
  }
}

const MOST_NAMED = 100
