import { Refusal } from '../../errors.ts'
import type { Denials } from '../audit/denials.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { type Caller, requireSession } from './caller.ts'
import type { People } from './people.ts'
import { beginAnew } from './sessions-store.ts'
import { signInRefusal } from './sign-in.ts'

/** Checks the current password, sets the new one and ends the person's other sessions. */
export async function changePassword(
  { db, people, denials }: Pick<BaseParts, 'db'> & { people: People; denials: Denials },
  caller: Caller,
  request: Request,
): Promise<string[]> {
  requireSession(caller)
  const response = await people.handle(request)
  if (response.status === 400) {
    denials.note({ by: caller, action: 'password.refused', target: caller.userId, detail: {} })
    throw new Refusal('invalid_password', 'The current password is wrong.', { field: 'currentPassword' })
  }
  if (!response.ok) throw await signInRefusal(response)
  const { token } = (await response.json()) as { token: string }
  await beginAnew(db, token, caller.orgId)
  await record(db, caller, 'password.change', caller.userId)
  return response.headers.getSetCookie()
}
