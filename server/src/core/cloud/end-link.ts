import { transaction } from '../../db/database.ts'
import { isFailure, notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import * as attempts from './attempt-store.ts'
import * as links from './link-store.ts'
import { forgetCredential } from './open-credential.ts'
import type { LinkParts } from './parts.ts'
import * as promotions from './promotion-store.ts'

/**
 * Ends the link at both sides, or gives up one that was only asked for. First there: should this process die in between, the link is still
 * here, says that its credential is refused, and can be ended again. Here it ends in any case: a cloud that is away holds nobody.
 */
export async function endLink(parts: LinkParts, caller: Caller, force: boolean) {
  const { db, keys } = parts
  const { orgId } = caller
  const link = await links.find(db, orgId)
  if (link && !force) await refuseWhilePromoting(parts, orgId)
  const revokedThere = link ? await revokeThere(parts, link) : false
  return transaction(db, async (tx) => {
    const givenUp = await attempts.remove(tx, orgId)
    const ended = link && (await links.remove(tx, orgId, link.linkId))
    if (!ended && !givenUp) throw notFound('link to a cloud')
    forgetCredential(keys, orgId)
    if (ended) await parts.forgetLinked(tx, caller)
    await record(tx, caller, 'cloud_link.end', link?.linkId ?? null, { ...(link && { cloud: link.url }), revokedThere })
    const hint = link ? STILL_THERE(link) : 'Nothing was linked yet; the code is of no use any more.'
    return { success: true as const, revokedThere, ...(!revokedThere && { hint }) }
  })
}

/** Who links again may link to another cloud: what is on its way would end half there. One that begins in this moment ends as failed. */
async function refuseWhilePromoting({ db }: LinkParts, orgId: string): Promise<void> {
  const names = await promotions.namesOfRunning(db, orgId)
  if (names.length === 0) return
  throw new Refusal('promotion_running', `Being promoted to the hosted cloud: ${names.join(', ')}.`, {
    hint: 'Cancel that, or wait for its end. With ?force=true the link ends all the same: promotions fail, and what was made for them stays there.',
  })
}

const STILL_THERE = ({ url, linkId, cloudOrgName }: { url: string; linkId: string; cloudOrgName: string }) =>
  `The cloud could not be told. An owner or admin of ${cloudOrgName} ends it there: DELETE ${url}/api/links/${linkId}.`

type Link = NonNullable<Awaited<ReturnType<typeof links.find>>>

async function revokeThere({ keys, config, cloudDoor }: LinkParts, { orgId, url, credential }: Link): Promise<boolean> {
  if (cloudDoor === null || url !== config.cloudUrl) return false
  try {
    await cloudDoor.endLink(keys.open(credential, links.placeOf(orgId)))
    return true
  } catch (error) {
    if (!isFailure(error, 'cloud')) throw error
    return false
  }
}
