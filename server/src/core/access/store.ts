import type { Role, Scope } from '@slipway/contract/permissions'
import { statement } from '../../db/statement.ts'

export type TokenRow = {
  id: string
  org_id: string
  user_id: string
  scopes: Scope[] | null
  project_id: string | null
  expires_at: Date | null
  /** By the database's clock: that of one process may be another. */
  expired: boolean
  unused_for_a_minute: boolean
  /** The credential of a linked instance. */
  of_link: boolean
  role: Role
  name: string
}

/** One query per request and no cache: a token that is revoked, or whose owner left, is refused by the next request. */
export const findToken = statement<TokenRow>('token.authenticate', tokenQuery())

/** Its text, for who looks up more of the token's organization in the same query. */
export function tokenQuery({ columns = '', joins = '' } = {}): string {
  return `select t.id, t.org_id, t.user_id, t.scopes, t.project_id, t.expires_at, m.role, p.name,
     coalesce(t.expires_at <= now(), false) as expired,
     (t.last_used_at is null or t.last_used_at < now() - interval '1 minute') as unused_for_a_minute,
     exists (select from instance_link l where l.token_id = t.id) as of_link ${columns}
   from token t
   join member m on m.org_id = t.org_id and m.user_id = t.user_id
   join person p on p.id = t.user_id ${joins}
   where t.hash = $1`
}

type MemberRow = { org_id: string; role: Role; name: string }

/**
 * The organization the session works in, and no other one: a write that was meant for one that the person left must not
 * land elsewhere. Only a session that never entered any gets the person's first one.
 */
export const findMembership = statement<MemberRow>(
  'session.membership',
  `select m.org_id, m.role, p.name from member m join person p on p.id = m.user_id
   where m.user_id = $1 and ($2::text is null or m.org_id = $2) order by m.org_id limit 1`,
)

type StillRow = { id: string; org_id: string; role: Role; scopes: Scope[] | null }

/** Which of these tokens would be let in now. */
export const findTokens = statement<StillRow>(
  'token.confirm',
  `select t.id, t.org_id, m.role, t.scopes from token t
   join member m on m.org_id = t.org_id and m.user_id = t.user_id
   where t.id = any($1) and (t.expires_at is null or t.expires_at > now())`,
)

/** Which of these sessions would be let in now, each in the organization that is named beside it. */
export const findSessions = statement<StillRow>(
  'session.confirm',
  `select s.id, m.org_id, m.role, null::text[] as scopes
   from unnest($1::text[], $2::text[]) as asked (id, org_id)
   join session s on s.id = asked.id
   join member m on m.user_id = s.user_id and m.org_id = asked.org_id
   where s.expires_at > now()`,
)
