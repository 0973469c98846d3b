import { transaction } from '../../db/database.ts'
import type { CloudDoor, Fetched } from '../../drivers/cloud/cloud.ts'
import { isFailure } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import * as attempts from './attempt-store.ts'
import { placeOfSecret } from './attempt-store.ts'
import * as links from './link-store.ts'
import { placeOf } from './link-store.ts'
import type { LinkParts } from './parts.ts'

/** Longer than a call to the cloud may take. A process that dies holds the others up for no longer. */
const LEASE_SECONDS = 15
const SLOWER_SECONDS = 5

/**
 * Asks what was decided at the cloud, if it is time to and nobody else does, and keeps the credential. Should this process die between the
 * answer and the commit, the next question is a replay: the cloud ends that credential and says so, and nobody is linked.
 * What is told is a reason why nothing was learned.
 */
export async function fetchCredential(
  parts: LinkParts,
  caller: Caller,
  which: attempts.AttemptRow,
): Promise<string | null> {
  const { db, keys, config, cloudDoor } = parts
  const attempt = await attempts.lease(db, which, LEASE_SECONDS)
  if (!attempt || attempt.secret === null) return null
  // The secrets are for the cloud that was asked, and for no other.
  if (cloudDoor === null || attempt.url !== config.cloudUrl) {
    await attempts.end(db, attempt, 'unfit')
    return null
  }
  const secrets = JSON.parse(keys.open(attempt.secret, placeOfSecret(attempt.orgId))) as Secrets
  try {
    await settle(parts, cloudDoor, { caller, attempt, fetched: await cloudDoor.fetchCredential(secrets) })
    return null
  } catch (error) {
    if (!isFailure(error, 'cloud')) throw error
    await attempts.askAgain(db, attempt, attempt.intervalSeconds)
    return `${error.message} ${error.hint}`
  }
}

type Secrets = { requestId: string; verifier: string }
type Heard = { caller: Caller; attempt: attempts.LeasedAttempt; fetched: Fetched }
const ENDS = { denied: 'denied', expired: 'expired', spent: 'lost' } as const

async function settle(parts: LinkParts, door: CloudDoor, { caller, attempt, fetched }: Heard): Promise<void> {
  const { db } = parts
  const { kind } = fetched
  if (kind === 'pending') return attempts.askAgain(db, attempt, attempt.intervalSeconds)
  if (kind === 'slow_down') {
    const seconds = fetched.seconds ?? attempt.intervalSeconds + SLOWER_SECONDS
    return attempts.askAgain(db, attempt, Math.max(seconds, attempt.intervalSeconds))
  }
  if (kind !== 'granted') return attempts.end(db, attempt, ENDS[kind])
  const { credential, link } = fetched
  // A cloud that knows no links has let a command line in, with everything that its person may do: that is not kept.
  if (link === null) {
    await attempts.end(db, attempt, 'unfit')
    return forgo(parts, () => door.endToken(credential))
  }
  const kept = await keep(parts, caller, attempt, { credential, ...link })
  if (!kept) await forgo(parts, () => door.endLink(credential))
}

type Granted = { credential: string; id: string; orgId: string; orgName: string }

/** Not where the attempt was given up or begun again meanwhile, nor where there is a link already. */
const keep = ({ db, keys }: LinkParts, caller: Caller, attempt: attempts.LeasedAttempt, granted: Granted) =>
  transaction(db, async (tx) => {
    const { orgId, url, begunBy: linkedBy } = attempt
    if (!(await attempts.remove(tx, orgId, attempt.userCode))) return false
    const credential = keys.seal(granted.credential, placeOf(orgId))
    const there = { linkId: granted.id, cloudOrgId: granted.orgId, cloudOrgName: granted.orgName }
    if (!(await links.insert(tx, { orgId, url, ...there, credential, linkedBy }))) return false
    await record(tx, caller, 'cloud_link.create', granted.id, { cloud: url, organization: granted.orgName, linkedBy })
    return true
  })

/** Nobody here has it: it would be good for ever. */
async function forgo({ log }: LinkParts, end: () => Promise<void>): Promise<void> {
  await end().catch((error: Error) =>
    log.warn({ reason: error.message }, 'a credential that nobody needs lives on at the cloud'),
  )
}
