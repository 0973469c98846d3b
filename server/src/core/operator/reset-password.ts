import { Refusal } from '../../errors.ts'
import * as people from '../access/people-store.ts'
import { invite } from '../members/invite.ts'
import type { BaseParts } from '../parts.ts'

/**
 * A link that sets a new password for somebody who lost theirs, or whose account is in wrong hands. Only the operator
 * makes one: an organization vouches for its members, not for the accounts that these have elsewhere.
 */
export async function resetLink({ db, config }: Pick<BaseParts, 'db' | 'config'>, input: { email: string }) {
  const person = await people.findByEmail(db, input.email)
  const member = person && (await people.oldestMembership(db, person.id))
  if (!member) {
    throw new Refusal('not_found', `Nobody with the email ${input.email} belongs to an organization.`, {
      hint: 'Check the spelling; `slipway admin bootstrap --again` makes an organization for somebody new.',
    })
  }
  const actor = { kind: 'system', name: 'slipway admin reset-password', orgId: member.orgId } as const
  const { link } = await invite({ db, config }, actor, { email: input.email, role: member.role, setup: true })
  return { link }
}
