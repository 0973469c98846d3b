import type { Queryable } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import * as links from './link-store.ts'

type Link = { url: string; cloudOrgId: string; cloudOrgName: string }

/**
 * Whether what is with this organization of a cloud can be asked for by a link. The organization decides and not the link, so that whoever
 * links anew goes on; nor its address, so that a cloud may move. Of before that was kept, nobody knows another one.
 */
export const isWith = (link: Pick<Link, 'cloudOrgId'>, cloudOrgId: string | null) =>
  cloudOrgId === null || cloudOrgId === link.cloudOrgId

/** Why what is with an organization of a cloud cannot be asked for there: no link leads to it. */
export async function notLinkedTo(db: Queryable, orgId: string, cloudOrgId: string | null): Promise<Refusal> {
  const link = await links.find(db, orgId)
  const theirs = cloudOrgId === null ? undefined : await links.findOrganization(db, orgId, cloudOrgId)
  if (!link || isWith(link, cloudOrgId) || !theirs)
    return new Refusal('cloud_unreachable', 'The organization is not linked to a hosted cloud any more.', {
      hint: theirs ? `Link it to ${theirs.name} at ${theirs.url} again.` : 'Link the organization to the cloud anew.',
    })
  const where = `${theirs.name} at ${theirs.url}`
  return new Refusal(
    'cloud_unreachable',
    `It is with ${where}, and this organization is linked to ${link.cloudOrgName} at ${link.url} now.`,
    { hint: `End that link and link to ${theirs.name} again, or let somebody act there.` },
  )
}
