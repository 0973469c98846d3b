import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { submit } from '../../../jobs/enqueue.ts'
import { eachFairly, fairShare } from '../../fair-share.ts'
import { whereItLeads } from '../names/check.ts'
import { authority } from './authority.ts'
import { type OrderInput, seen } from './order.ts'
import type { CertificateParts } from './parts.ts'
import { lookAgainMs, needOf, nextRuns, QUIET_LOOK_MS, renewalMoment, type Wanting } from './plan.ts'
import * as store from './store.ts'

const MOST = 500
/** From there on, an organization with many names is asked to let others go first. */
const SHARE = 50
const AT_ONCE = 32
const PER_ORG = 8
/** No more looks are begun after that; what is left is found by the next round, which others may come before. */
const ROUND_MS = 10_000
/** What is known by then does not wait for names whose servers are slow. */
const SAVE_MS = 1000
const WINDOW_MS = 10_000
const SLOW_MS = 1000
const MINUTE_MS = 60_000

type Wanted = { id: string; orgId: string; order: boolean }
type Row = store.Due & { due: string }
/** A CA that failed to say something is asked nothing more in this round: whoever waits for its deadline holds up the others. */
type Round = { signal: AbortSignal; caUnresponsive: boolean }

/**
 * One look at every name whose time has come: where it leads, and whether a certificate is to be got or renewed. Nothing is
 * ever waiting for anybody to call: a name that is put right has its certificate some seconds later.
 */
export async function pollDomains(parts: CertificateParts, signal: AbortSignal): Promise<void> {
  const rows = await fairShare({ most: MOST, share: SHARE }, (most, except) => store.due(parts.db, most, except))
  const found = collector(parts)
  const began = performance.now()
  const round: Round = { signal, caUnresponsive: false }
  await eachFairly(rows, { atOnce: AT_ONCE, perOrg: PER_ORG, signal }, async (row) => {
    if (performance.now() - began > ROUND_MS) return
    const look = await lookAt(parts, row, round)
    if (!signal.aborted) found.add(row, look)
  })
  await found.save()
  signal.throwIfAborted()
}

/** What was found, saved now and then; each time the most urgent of it is ordered. */
function collector(parts: CertificateParts) {
  let looks: store.Look[] = []
  let wanting: (Wanted & Wanting)[] = []
  let saving = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const save = async () => {
    clearTimeout(timer)
    timer = undefined
    const [now, wanted] = [looks, wanting]
    looks = []
    wanting = []
    const counted = await store.saveLooks(parts.db, now)
    await order(
      parts,
      wanted.filter(({ id }) => counted.has(id)),
    )
  }
  const saveNext = () => {
    saving = saving.then(save)
    return saving
  }
  return {
    add(row: Row, look: store.Look): void {
      looks.push(look)
      if (parts.acme.enabled && needsOrder(row, look)) wanting.push(candidate(row, look))
      // What goes wrong is told by the last one.
      timer ??= setTimeout(() => saveNext().catch(() => {}), SAVE_MS)
    },
    save: saveNext,
  }
}

async function lookAt(parts: CertificateParts, row: Row, round: Round): Promise<store.Look> {
  const began = performance.now()
  const dns = await whereItLeads(parts, row, row.host, round.signal)
  const slow = performance.now() - began > SLOW_MS
  const now = row.now.getTime()
  const renewAt = await suggested(parts, row, round)
  const needed = isDue(row, renewAt) || isNowhere(row)
  const nextTryAt = dnsJustFixed(row, dns.ok) ? row.limitedUntil : row.nextTryAt
  return {
    id: row.id,
    due: row.due,
    dns: seen(dns),
    dnsOk: dns.ok,
    problem: problemAfter(row, dns, needed),
    nextTryAt,
    renewAt,
    lookInMs: needed ? urgentMs(row, { slow, nextTryAt: dns.ok ? nextTryAt : null }) : quietMs(row, renewAt, now),
  }
}

/** There is none, or its successor's time has come. */
const isDue = (row: store.Due, renewAt: Date | null) =>
  row.notAfter === null || (renewAt ?? row.renewAt ?? row.notAfter).getTime() <= row.now.getTime()

/** The CA said when it may be asked again. */
const isLimited = ({ limitedUntil, now }: store.Due) => limitedUntil !== null && limitedUntil.getTime() > now.getTime()

/** The CA gave it, but the edges were not seen to have it. */
const isNowhere = ({ serial, installed }: store.Due) => serial !== null && installed !== serial

/** Whatever went wrong while the name led elsewhere went wrong because of that. */
const dnsJustFixed = (row: store.Due, ok: boolean) => ok && !row.dnsOk

function problemAfter(row: store.Due, dns: { ok: boolean; message: string }, needed: boolean) {
  const { problem } = row
  if (!dns.ok && needed && row.notAfter !== null) return { code: 'dns_wrong', message: dns.message, hint: null }
  // A name that leads elsewhere needs no other reason.
  return problem?.code === 'dns_wrong' || (problem !== null && !dns.ok && row.notAfter === null) ? null : problem
}

/** Until the next try; where the name leads is still looked at every minute. Names whose servers are slow hold up no others. */
function urgentMs(row: store.Due, { slow, nextTryAt }: { slow: boolean; nextTryAt: Date | null }): number {
  const now = row.now.getTime()
  const untilTry = (nextTryAt?.getTime() ?? 0) - now
  const wait = untilTry > 0 ? Math.min(untilTry, MINUTE_MS) : lookAgainMs(now - row.waitingSince.getTime())
  return slow ? Math.max(wait, MINUTE_MS) : wait
}

/** Until the renewal, or some hours; never all at once. */
function quietMs(row: store.Due, renewAt: Date | null, now: number): number {
  const untilRenewal = (renewAt ?? row.renewAt ?? new Date(now)).getTime() - now
  return Math.max(1000, Math.min(untilRenewal, QUIET_LOOK_MS * (0.8 + Math.random() * 0.4)))
}

/** The CA may change its mind about when to renew: asked with every look at a certificate that is fine. */
async function suggested(parts: CertificateParts, row: store.Due, round: Round): Promise<Date | null> {
  const { host, serial, chain, notBefore, notAfter } = row
  if (!parts.acme.enabled || serial === null || chain === null || notBefore === null || notAfter === null) return null
  if (row.problem !== null || round.caUnresponsive) return null
  try {
    const within = AbortSignal.any([round.signal, AbortSignal.timeout(WINDOW_MS)])
    const { target } = await authority(parts, within)
    const window = await parts.acme.client.renewalWindow(target, { certificatePem: chain, signal: within })
    return window && renewalMoment({ host, serial, notBefore, notAfter }, window)
  } catch (error) {
    // What was planned stays planned.
    round.caUnresponsive = true
    parts.log.warn({ host, reason: (error as Error).message }, 'the CA did not say when to renew')
    return null
  }
}

function needsOrder(row: store.Due, look: store.Look): boolean {
  if (!look.dnsOk || !row.live) return false
  if (look.nextTryAt !== null && look.nextTryAt.getTime() > row.now.getTime()) return false
  return isToOrder(row, look) || isNowhere(row)
}

const isToOrder = (row: store.Due, { renewAt }: store.Look) => isDue(row, renewAt) && !isLimited(row)

const candidate = (row: store.Due, look: store.Look): Wanted & Wanting => ({
  ...row,
  order: isToOrder(row, look),
  need: needOf(row, row.now.getTime()),
})

/** As many as the CA's limits and the other work leave room for; the rest is found by the next look. */
async function order(parts: CertificateParts, wanting: (Wanted & Wanting)[]): Promise<void> {
  if (wanting.length === 0) return
  const [ordered, running, alone] = await Promise.all([
    store.ordered(parts.db),
    store.inWork(parts.db),
    store.isAlone(parts.db),
  ])
  const next = nextRuns(wanting, { ordered, running, alone })
  for (const row of next) await submitOrder(parts, row)
}

/** The run that sees to it, whoever asked first; undefined where the name is gone. */
export async function submitOrder(
  { db, transport }: Pick<CertificateParts, 'db' | 'transport'>,
  { id, orgId, order: isOrder }: Wanted,
): Promise<string | undefined> {
  return transaction(db, async (tx) => {
    const run = newId('run')
    if (!(await store.take(tx, orgId, id, run))) return (await store.find(tx, orgId, id))?.runId ?? undefined
    const input: OrderInput = { certificate: id, order: isOrder }
    await submit(tx, transport, { id: run, lane: id, kind: 'certificate', orgId, input, urgency: 'short' })
    return run
  })
}
