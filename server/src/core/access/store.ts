import type { Role, Scope } from '@slipway/contract/permissions'
import { statement } from '../../db/statement.ts'

type TokenRow = {
  id: string
  org_id: string
  user_id: string
  scopes: Scope[] | null
  project_id: string | null
  expires_at: Date | null
  unused_for_a_minute: boolean
  role: Role
  name: string
}

/** One query per request and no cache: a token that is revoked, or whose owner left, is refused by the next request. */
export const findToken = statement<TokenRow>(
  'token.authenticate',
  `select t.id, t.org_id, t.user_id, t.scopes, t.project_id, t.expires_at, m.role, p.name,
     (t.last_used_at is null or t.last_used_at < now() - interval '1 minute') as unused_for_a_minute
   from token t
   join member m on m.org_id = t.org_id and m.user_id = t.user_id
   join person p on p.id = t.user_id
   where t.hash = $1`,
)

type MemberRow = { org_id: string; role: Role; name: string }

/** The organization the session chose, or the person's first one. */
export const findMembership = statement<MemberRow>(
  'session.membership',
  `select m.org_id, m.role, p.name from member m join person p on p.id = m.user_id
   where m.user_id = $1 order by (m.org_id = $2) desc nulls last, m.org_id limit 1`,
)
