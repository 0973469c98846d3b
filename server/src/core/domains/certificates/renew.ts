import { setTimeout as sleep } from 'node:timers/promises'
import { type Tx, transaction } from '../../../db/database.ts'
import { notFound, Refusal } from '../../../errors.ts'
import { progressOf } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { FEW_ORDERS, MOST_ORDERS, ORDER_WINDOW_MS } from './plan.ts'
import { submitOrder } from './poll-domains.ts'
import type { CertificateRow } from './state.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'config'>
type RenewInput = { domain: string; force: boolean }

const HOUR_MS = 3600_000
const LONG_MS = 30 * 24 * HOUR_MS
const WAIT_MS = 150_000
const LOOK_MS = 150

/** A new certificate now. The answer is the CA's; whoever hangs up does not stop it. */
export async function renewCertificate(
  parts: Parts,
  caller: Caller,
  { domain, force }: RenewInput,
  signal: AbortSignal,
) {
  const row = await transaction(parts.db, async (tx) => {
    const found = await store.findByHost(tx, caller, domain)
    if (!found) throw notFound('domain')
    if (parts.config.acme === null) throw new Refusal('not_now', 'This instance gets no certificates from a CA.', NO_CA)
    refuseTooSoon(found, force)
    await refuseTooMany(tx, found.orgId)
    await store.update(tx, found.orgId, found.id, { askedAt: new Date() })
    await record(tx, caller, 'certificate.renew', found.projectId ?? found.id, { host: domain, force })
    return found
  })
  const run = await submitOrder(parts, { id: row.id, orgId: row.orgId, order: true })
  if (run === undefined) throw notFound('domain')
  return ended(parts, row, run, signal)
}

const NO_CA = { hint: 'Its operator sets SLIPWAY_ACME_DIRECTORY.' }

function refuseTooSoon({ askedAt, notAfter, limitedUntil, problem }: CertificateRow, force: boolean): void {
  if (force) return
  const now = Date.now()
  const again = (at: number) => ({
    retryAfter: Math.ceil((at - now) / 1000),
    hint: 'Wait, or ask with `force: true`. CAs count orders, and refuse for days those who ask too often.',
  })
  if (limitedUntil && limitedUntil.getTime() > now && problem)
    throw new Refusal(
      'certificate_failed',
      `${problem.message} It is not asked again yet.`,
      again(limitedUntil.getTime()),
    )
  const isLong = notAfter !== null && notAfter.getTime() - now > LONG_MS
  if (isLong && problem === null && askedAt && now - askedAt.getTime() < HOUR_MS)
    throw new Refusal(
      'rate_limited',
      'It was renewed within the last hour and is good for more than 30 days.',
      again(askedAt.getTime() + HOUR_MS),
    )
}

/** Whatever is forced: the orders of a window are for all organizations of the instance. */
async function refuseTooMany(tx: Tx, orgId: string): Promise<void> {
  const { all, own } = await store.ordersWithin(tx, ORDER_WINDOW_MS, orgId)
  const most = own < FEW_ORDERS ? MOST_ORDERS : MOST_ASKED
  if (all < most && own < MOST_OWN) return
  throw new Refusal('rate_limited', 'Too many certificates were ordered in the last three hours.', {
    retryAfter: HOUR_MS / 1000,
    hint: 'Wait. What has to be renewed is renewed without being asked.',
  })
}

const MOST_OWN = MOST_ORDERS / 2
/** The last ones are for organizations that have had few. */
const MOST_ASKED = MOST_ORDERS - FEW_ORDERS

async function ended({ db }: Parts, row: CertificateRow, run: string, signal: AbortSignal) {
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline && !signal.aborted) {
    const now = await progressOf(db, row.orgId, run)
    if (now?.status === 'succeeded') return shown(await store.find(db, row.orgId, row.id))
    if (now !== undefined && now.status !== 'queued' && now.status !== 'running') throw refused(now.reason)
    await sleep(LOOK_MS)
  }
  throw new Refusal('conflict', 'The CA is still being asked, which takes longer than usual.', {
    hint: 'Look at the domain in a while: it says how it went.',
  })
}

function shown(row: CertificateRow | undefined) {
  if (!row?.notAfter || row.issuer === null) throw notFound('domain')
  return { success: true as const, domain: row.host, validTo: row.notAfter.toISOString(), issuer: row.issuer }
}

function refused(reason: { code: string; message: string; hint?: string } | null): Refusal {
  const message = reason?.message ?? 'It was stopped.'
  const hint = { hint: reason?.hint ?? 'Look at the domain: it says when it is tried again.' }
  return new Refusal(reason?.code === 'dns_wrong' ? 'dns_wrong' : 'certificate_failed', message, hint)
}
