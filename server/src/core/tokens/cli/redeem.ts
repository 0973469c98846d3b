import { timingSafeEqual } from 'node:crypto'
import type { Redemption } from '@slipway/contract/cli-login'
import { type Database, type Tx, transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { hashSecret } from '../../access/secrets.ts'
import { record } from '../../audit/record.ts'
import { insertToken } from '../create.ts'
import { issueLink, mayLinkInstances } from '../links/issue.ts'
import { remove } from '../store.ts'
import { callerIn } from './decide.ts'
import { TOKEN_DAYS } from './find.ts'
import * as store from './store.ts'

type Origin = { address: string; requestId: string }
type Issued = Awaited<ReturnType<typeof insertToken | typeof issueLink>>

/** After so many that do not fit, a request is over: nobody who asked for it needs to guess. */
const MOST_WRONG = 5
const SLOWER_SECONDS = 5

/**
 * Gives the token to whoever has the verifier (PKCE) and, where a browser of the same machine approved, the one-time code that
 * it brought. What a "no" changes is kept, so it is thrown after the transaction.
 */
export async function redeemSignIn({ db }: { db: Database }, input: Redemption, origin: Origin): Promise<Issued> {
  const outcome = await transaction(db, async (tx): Promise<Issued | Refusal> => {
    const row = await store.lock(tx, hashSecret(input.requestId))
    if (!row || row.expired) return expired()
    if (!isSame(row.challenge, hashSecret(input.verifier))) return wrong(tx, row)
    if (row.status === 'used') return replayed(tx, row, origin)
    if (input.code === undefined && row.tooSoon) return slowDown(tx, row)
    if (row.status === 'denied') return denied()
    if (input.code === undefined && isWaiting(row)) return pending(tx, row)
    return row.status === 'approved' ? withCode(tx, row, input.code, origin) : wrong(tx, row)
  })
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

/** Nobody has decided, or the code is still on its way. */
const isWaiting = (row: store.LockedSignIn) => row.status === 'pending' || (row.codeHash !== null && !row.codeExpired)

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

async function withCode(tx: Tx, row: store.LockedSignIn, code: string | undefined, origin: Origin) {
  if (row.codeHash !== null) {
    if (row.codeExpired) return expired()
    if (code === undefined || !isSame(row.codeHash, hashSecret(code))) return wrong(tx, row)
  }
  return issue(tx, row, origin)
}

/** As the person is now: what the role allows may have changed since. */
async function issue(tx: Tx, row: store.LockedSignIn, origin: Origin): Promise<Issued | Refusal> {
  const { id, orgId, userId, sessionId, instanceId } = row
  if (orgId === null || userId === null) throw new Error('nobody approved this sign-in')
  const person = { kind: 'session', credentialId: sessionId ?? '', userId, userName: '', ...ANY } as const
  const caller = await callerIn(tx, { ...person, orgId, role: 'viewer', ...origin }, orgId)
  if (instanceId !== null && !mayLinkInstances(caller.role)) return expired()
  const issued = await (instanceId === null
    ? issueToken(tx, caller, row)
    : issueLink(tx, caller, { ...row, instanceId }))
  await store.change(tx, id, { status: 'used', tokenId: issued.token.id, codeHash: null })
  return issued
}

function issueToken(tx: Tx, caller: Caller, { id, name, scopes, projectId }: store.LockedSignIn) {
  const expiresAt = new Date(Date.now() + TOKEN_DAYS * 24 * 3600_000).toISOString()
  return insertToken(tx, caller, { name, scopes, projectId, expiresAt }, { signIn: id })
}

const ANY = { ofLink: false, scopes: null, projectId: null, expiresAt: null, client: null } as const

/** Twice with the same secrets: the first answer was lost, or somebody else has them. Either way that token is nobody's. */
async function replayed(tx: Tx, { id, orgId, userId, tokenId, instanceId }: store.LockedSignIn, origin: Origin) {
  if (orgId !== null && tokenId !== null && (await remove(tx, { orgId, userId }, tokenId))) {
    const name = instanceId === null ? 'a command line' : 'an instance'
    const actor = { kind: 'system', name, orgId, ...origin } as const
    await record(tx, actor, 'token.revoke', tokenId, { why: 'its sign-in was used twice', signIn: id })
  }
  return unfit('The token of this sign-in was fetched before. It has ended.')
}

async function wrong(tx: Tx, { id, wrong, status }: store.LockedSignIn): Promise<Refusal> {
  const spent = wrong + 1 >= MOST_WRONG && status !== 'used'
  await store.change(tx, id, { wrong: wrong + 1, ...(spent && { status: 'denied', codeHash: null }) })
  return unfit('The verifier or the one-time code does not fit this sign-in.')
}

async function pending(tx: Tx, { id, intervalSeconds }: store.LockedSignIn): Promise<Refusal> {
  await store.notePoll(tx, id, intervalSeconds)
  return new Refusal('authorization_pending', 'Nobody has decided yet.', {
    hint: `Ask again after ${intervalSeconds} seconds.`,
    retryAfter: intervalSeconds,
  })
}

async function slowDown(tx: Tx, { id, intervalSeconds }: store.LockedSignIn): Promise<Refusal> {
  const seconds = intervalSeconds + SLOWER_SECONDS
  await store.notePoll(tx, id, seconds)
  return new Refusal('slow_down', `This was asked less than ${intervalSeconds} seconds ago.`, {
    hint: `From now on ask every ${seconds} seconds.`,
    retryAfter: seconds,
  })
}

const AGAIN = 'Run slipway login again.'
const expired = () =>
  new Refusal('expired_token', 'This sign-in has expired, or whoever approved it may not any more.', { hint: AGAIN })
const denied = () => new Refusal('access_denied', 'The sign-in was refused in the browser.', { hint: AGAIN })
const unfit = (words: string) => new Refusal('invalid_grant', words, { hint: AGAIN })
