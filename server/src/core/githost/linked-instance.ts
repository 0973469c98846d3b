import { Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { mayLinkInstances } from '../tokens/links/issue.ts'
import { findOfToken } from '../tokens/links/store.ts'

/**
 * At a cloud: the link whose credential asks. What the git host says of an installation is about all of it, and a token reads all of it,
 * whatever rules take from developers: so a link is good for both only as long as whoever approved it is an owner or admin.
 */
export async function requireLinkedInstance(
  { db }: Pick<BaseParts, 'db'>,
  caller: Caller,
  otherwise: { sentence: string; hint: string },
) {
  const link = caller.kind === 'token' ? await findOfToken(db, caller.orgId, caller.credentialId) : undefined
  if (!link) throw new Refusal('link_required', otherwise.sentence, { hint: otherwise.hint })
  if (mayLinkInstances(caller.role)) return link
  throw new Refusal('link_required', 'Whoever approved this link is no owner or admin of the organization any more.', {
    hint: 'Link the instance anew, with the approval of an owner or admin.',
  })
}
