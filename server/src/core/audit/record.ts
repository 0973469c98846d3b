import type { Queryable } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { append } from './store.ts'

/** Whoever has a credential; what a caller is besides is nothing to the log. */
type Somebody = {
  kind: 'token' | 'session'
  credentialId: string
  userId: string
  userName: string
  orgId: string
  address: string
  requestId: string
}

/** Who did it: a caller, or the instance itself (an operator's command, a background sweep). */
export type Actor = Somebody | { kind: 'system'; name: string; orgId: string; address?: string; requestId?: string }

/** Writes the audit entry of a change; pass the transaction that makes the change, so that both happen or neither. */
export async function record(
  tx: Queryable,
  actor: Actor,
  action: string,
  target: string | null,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const system = actor.kind === 'system'
  await append(tx, {
    id: newId('aud'),
    orgId: actor.orgId,
    action,
    target,
    actorKind: system ? 'system' : actor.kind === 'token' ? 'token' : 'user',
    actorId: system ? null : actor.userId,
    actorName: system ? actor.name : actor.userName,
    tokenId: actor.kind === 'token' ? actor.credentialId : null,
    address: actor.address ?? null,
    requestId: actor.requestId ?? null,
    detail: JSON.stringify(detail),
  })
}
