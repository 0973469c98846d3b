import type { CloudLink } from '@slipway/contract/link'
import { isFailure } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import * as attempts from './attempt-store.ts'
import { fetchCredential } from './fetch-credential.ts'
import * as links from './link-store.ts'
import type { LinkParts } from './parts.ts'

/** How the organization stands with the cloud. Looking is also what brings a link about that somebody there has approved. */
export async function showLink(parts: LinkParts, caller: Caller): Promise<CloudLink> {
  const { db } = parts
  const { orgId } = caller
  const before = await links.findShown(db, orgId)
  if (before) return linked(parts, before)
  const open = await attempts.find(db, orgId)
  const problem = open?.secret ? await fetchCredential(parts, caller, open) : null
  const link = await links.findShown(db, orgId)
  return link ? linked(parts, link) : waiting(parts, await attempts.find(db, orgId), problem)
}

function waiting(
  { config: { cloudUrl } }: LinkParts,
  attempt: attempts.AttemptRow | undefined,
  problem: string | null,
) {
  if (!attempt) return { state: 'none' as const, cloudUrl }
  const ended = attempt.ended ?? (attempt.expired ? 'expired' : null)
  if (ended !== null) return { state: 'none' as const, cloudUrl, problem: ENDED[ended] }
  const { userCode, verifyUrl, expiresAt } = attempt
  const shown = { userCode, verifyUrl, expiresAt: expiresAt.toISOString() }
  return { state: 'pending' as const, cloudUrl, ...shown, ...(problem !== null && { problem }) }
}

const ENDED: Record<NonNullable<attempts.AttemptRow['ended']>, string> = {
  denied: 'Somebody at the cloud refused the link. Begin again if that was a mistake.',
  expired: 'Nobody at the cloud approved the link in time, or whoever did may not any more. Begin again.',
  lost: 'The link was approved, but its credential did not arrive here and was ended there. Begin again.',
  unfit:
    'The cloud that was asked is not the one that is set, or gave no link. Check SLIPWAY_CLOUD_URL and begin again.',
}

async function linked(parts: LinkParts, link: links.ShownLink): Promise<CloudLink> {
  const problem = (await problemOf(parts, link)) ?? (link.relayState === 'refused' ? NOT_RELAYED : null)
  return {
    state: 'linked',
    cloudUrl: parts.config.cloudUrl,
    organization: { id: link.cloudOrgId, name: link.cloudOrgName },
    linkedBy: { id: link.linkedBy, name: link.linkedByName },
    linkedAt: link.createdAt.toISOString(),
    relay: relayOf(link),
    ...(problem !== null && { problem }),
  }
}

/** From the row alone. Whoever followed it and holds it no more may have died: then it is waited for. */
function relayOf({ relayState, relaySeen, relayAt, relaySince, relayUntil, isFollowed }: links.ShownLink) {
  const isLost = relayState === 'following' && !isFollowed
  const since = isLost ? relayUntil : relaySince
  return {
    state: isLost ? ('waiting' as const) : (relayState ?? ('off' as const)),
    lastNumber: Number(relaySeen),
    lastAt: relayAt?.toISOString() ?? null,
    since: since?.toISOString() ?? null,
  }
}

async function problemOf(parts: LinkParts, link: links.ShownLink): Promise<string | null> {
  const { keys, config, cloudDoor, linkChecks } = parts
  // A credential is for the cloud that gave it: another one is never shown it.
  if (cloudDoor === null || link.url !== config.cloudUrl)
    return `The link is with ${link.url}, which is not the cloud in SLIPWAY_CLOUD_URL. Set that one, or end the link and link again.`
  return linkChecks.problemOf(link.linkId, async () => {
    try {
      return (await cloudDoor.takes(keys.open(link.credential, links.placeOf(link.orgId)))) ? null : REVOKED
    } catch (error) {
      if (!isFailure(error, 'cloud')) throw error
      return `${error.message} ${error.hint}`
    }
  })
}

const NOT_RELAYED =
  'The cloud passes no deliveries of its git host on to this link: whoever approved it is no owner or admin there any more, or it is from before that was part of links. It is asked again every hour. End the link here and link again.'

const REVOKED =
  'The cloud does not take the credential of this link any more: it was revoked there, or whoever approved it has left. End the link here and link again.'
