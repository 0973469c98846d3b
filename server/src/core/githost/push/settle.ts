import { type Tx, transaction } from '../../../db/database.ts'
import { askAt, follow, land, type Open, type Step } from './advance.ts'
import { askHost, type Heard, type PushParts, type Question } from './ask-host.ts'
import { decideProjects } from './decide-projects.ts'
import * as deliveries from './delivery-store.ts'
import * as heads from './head-store.ts'

/** While the host is asked, no other process does so; one that dies is followed by another after that. */
const LEASE_MS = 15_000
/** Between two questions about one head. */
const CALM_MS = 2000
const MOST_ROUNDS = 4
const NOTHING = { needs: [], waitUntil: null }

/**
 * Brings one head in line with what was told and with what the host says, and decides for each project that follows it. The
 * row is held by one process at a time; `seq` counts moves and is the key of all that is decided. False: nothing is due.
 */
export async function settle(
  parts: PushParts,
  signal: AbortSignal,
  key: heads.HeadKey | null = null,
): Promise<boolean> {
  let heard: Heard = {}
  let at = key
  for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round++) {
    const looked = await transaction(parts.db, async (tx) => {
      const head = at === null ? await heads.takeDue(tx) : await heads.lock(tx, at)
      return head && { head, question: await look(tx, parts, head, heard) }
    })
    if (!looked) return round > 0
    at = looked.head
    if (looked.question === null) return true
    heard = await askHost(parts, looked.question, heard, signal)
  }
  return true
}

async function look(tx: Tx, parts: PushParts, head: heads.Head, heard: Heard): Promise<Question | null> {
  const now = new Date()
  const open: Open[] = await deliveries.open(tx, head)
  const told = head.seq === '0' ? { sha: head.sha, taken: [], known: [], left: open } : follow(head.sha, open)
  const step = await afterAnswer(tx, head, heard, told)
  const isFirst = head.seq === '0' && step.isAnswered && open.length === 0
  const moved = !isFirst && (step.taken.length > 0 || step.sha !== head.sha)
  const seq = Number(head.seq) + (moved || isFirst ? 1 : 0)
  if (moved) await noteMove(tx, head, step, seq, heard)
  for (const { id, reason } of step.known) await deliveries.decide(tx, [id], { decision: 'known', reason })
  const current = { ...head, sha: step.sha, seq: String(seq) }
  const when = heard.unseen ? null : (heard.later ?? whenToAsk(head, step, now))
  const isDue = when !== null && when <= now
  // What the host is about to say may be newer.
  const projects = isDue && !moved ? NOTHING : await decideProjects(tx, parts, current, { moved, heard, now })
  const question =
    isDue || projects.needs.length > 0 ? { key: head, seq: current.seq, head: isDue, needs: projects.needs } : null
  const waits = [projects.waitUntil, when]
  const next = waits.filter((date) => date !== null).map((date) => Math.max(date.getTime(), now.getTime() + 50))
  const saved = await heads.save(tx, head, {
    ...(moved || isFirst ? { sha: step.sha, seq, movedAt: now } : {}),
    ...(step.isUntold && moved ? { silentAt: now } : {}),
    ask: head.ask && !step.isAnswered && heard.unseen !== true,
    ...(isDue && { askedAt: now }),
    dirtyAt: question ? new Date(now.getTime() + LEASE_MS) : next.length > 0 ? new Date(Math.min(...next)) : null,
  })
  if (!saved) throw new Error('a head changed while its row was held')
  return question
}

type Answered = Step & { isAnswered: boolean; isUntold: boolean }

/** An answer counts only for the head it was asked about; what was told meanwhile may be newer than it. */
async function afterAnswer(tx: Tx, head: heads.Head, { head: answer, unseen }: Heard, told: Step): Promise<Answered> {
  if (unseen) {
    const reason = 'the connection does not see the repository any more'
    await deliveries.decide(
      tx,
      told.left.map(({ id }) => id),
      { decision: 'failed', reason },
    )
    return { ...told, left: [], isAnswered: false, isUntold: false }
  }
  const isStale = answer === undefined || answer.seq !== head.seq || (told.taken.length > 0 && answer.sha !== told.sha)
  if (isStale) return { ...told, isAnswered: false, isUntold: false }
  await deliveries.countAsked(
    tx,
    told.left.map(({ id }) => id),
  )
  const former = await deliveries.former(tx, head)
  for (const { before } of told.taken) if (before !== null) former.add(before)
  if (head.sha !== null) former.add(head.sha)
  const asked = told.left.map((one) => ({ ...one, attempts: one.attempts + 1 }))
  const { sha, taken, known, left } = land(answer.sha, asked, former)
  // A delivery that leads to where the branch was all the time is no move.
  const [led, older] = sha === told.sha ? [[], taken] : [taken, []]
  const known2 = older.map(({ id }) => ({ id, reason: 'older than the head' }))
  const isUntold = sha !== told.sha && !led.some(({ after }) => after === sha)
  return {
    ...{ sha, left, isUntold, isAnswered: true },
    taken: [...told.taken, ...led],
    known: [...told.known, ...known, ...known2],
  }
}

/** What led there is taken into account; a move that nobody told of is written down like one that was told. */
async function noteMove(tx: Tx, head: heads.Head, step: Answered, seq: number, heard: Heard): Promise<void> {
  await deliveries.take(
    tx,
    step.taken.map(({ id }) => id),
    seq,
  )
  if (!step.isUntold) return
  const row = deliveries.found(head, heard.via ?? 'poll', seq)
  await deliveries.insert(tx, { ...row, before: head.sha, after: step.sha, repository: heard.repository ?? null })
}

/** Not too often about one head; null: there is nothing to ask. */
function whenToAsk(head: heads.Head, { left, isAnswered }: Answered, now: Date): Date | null {
  const wanted = !isAnswered && (head.ask || head.seq === '0') ? now : askAt(left)
  if (wanted === null) return null
  return new Date(Math.max(wanted.getTime(), (head.askedAt?.getTime() ?? 0) + CALM_MS))
}
