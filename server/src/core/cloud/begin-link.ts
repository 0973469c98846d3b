import { visibleLine } from '@slipway/contract/visible-text'
import { transaction } from '../../db/database.ts'
import { isFailure, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { hashSecret, newCode } from '../access/secrets.ts'
import { record } from '../audit/record.ts'
import { organizationsOf } from '../members/store.ts'
import * as attempts from './attempt-store.ts'
import { placeOfSecret } from './attempt-store.ts'
import * as links from './link-store.ts'
import type { LinkParts } from './parts.ts'

/**
 * Device authorization (RFC 8628) with PKCE: the verifier never leaves this instance but to fetch the credential. An owner or admin at the
 * cloud types the code; who begins here needs nothing of theirs.
 */
export async function beginLink(parts: LinkParts, caller: Caller) {
  const { db, keys, config, cloudDoor } = parts
  if (cloudDoor === null || config.cloudUrl === null) {
    throw new Refusal('invalid_request', 'This instance works with no hosted cloud.', {
      hint: 'Whoever runs it names one in SLIPWAY_CLOUD_URL.',
    })
  }
  const { orgId } = caller
  if (await links.find(db, orgId)) throw linkedAlready()
  const verifier = newCode()
  const challenge = hashSecret(verifier).toString('base64url')
  const asked = await cloudDoor.ask({ challenge, instance: await nameOf(parts, caller) }).catch(asRefusal)
  const { requestId, userCode, verifyUrl, intervalSeconds } = asked
  const secret = keys.seal(JSON.stringify({ requestId, verifier }), placeOfSecret(orgId))
  const row = { orgId, url: config.cloudUrl, secret, userCode, verifyUrl, intervalSeconds, begunBy: caller.userId }
  return transaction(db, async (tx) => {
    const expiresAt = await attempts.put(tx, row, asked.expiresInSeconds)
    await record(tx, caller, 'cloud_link.begin', null, { cloud: config.cloudUrl })
    return { userCode, verifyUrl, expiresAt: expiresAt.toISOString(), interval: intervalSeconds }
  })
}

/** What somebody at the cloud reads before they decide: whose projects these are, and where. */
async function nameOf({ db, instance, config }: LinkParts, { userId, orgId }: Caller) {
  const { data } = await organizationsOf(db, userId, orgId, { limit: 1 })
  // The host first: whatever an organization calls itself, it is not cut away.
  const name = visibleLine(`${new URL(config.publicUrl).host} (${data[0]?.name ?? 'an organization'})`)
  return { id: await instance.id(), name: beginningOf(name).trim() }
}

const MOST_LENGTH = 80

/** No character is cut in half. */
const beginningOf = (text: string) =>
  [...text].reduce((kept, next) => (kept.length + next.length > MOST_LENGTH ? kept : kept + next), '')

const linkedAlready = () =>
  new Refusal('conflict', 'The organization is linked to a cloud already.', {
    hint: 'End that link first: DELETE /api/cloud/link.',
  })

function asRefusal(error: unknown): never {
  if (!isFailure(error, 'cloud')) throw error
  throw new Refusal('cloud_unreachable', error.message, { hint: error.hint, retryAfter: 30, cause: error })
}
