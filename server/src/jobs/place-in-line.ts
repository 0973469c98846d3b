import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { URGENCY } from './enqueue.ts'

/** Which calls come first, and which count as one organization's: a group has a share of the workers of each process. */
export type PlaceInLine = { priority: number; group: string | null }

/** Of the same urgency, the earlier one; each step is four seconds. Far enough apart to last for decades. */
const URGENCY_STEPS = 500_000_000
const STEP_SECONDS = 4
/** A run stands as much further back as others of its organization were open when it came. */
const BEHIND_EACH_STEPS = 8
const MOST_COUNTED = 1000
/** Seconds of 2025-01-01: priorities are 32 bits. */
const EPOCH = 1_735_689_600

/** The priority from which on calls are of this urgency. */
export const leastPriority = (urgency: number): number => (urgency - 1) * URGENCY_STEPS + 1

/**
 * Start-time fair queueing: a call's place is the time its run was submitted, and half a minute later for each other run
 * that its organization has open. Whoever comes with one run so comes before the second of whoever came with a hundred,
 * and nobody waits for ever. One that has begun has waited already. The place is that of the run which a claim would pick.
 */
export async function placeInLine(tx: Tx, lane: string): Promise<PlaceInLine> {
  const { rows } = await sql<{ orgId: string; urgency: number; at: number; before: number; several: boolean }>`
    select r.org_id, r.urgency, extract(epoch from r.created_at)::float8 as at,
      case when r.status = 'queued' then (select count(*)::int from (
        select 1 from run o where o.org_id = r.org_id and o.status in ('queued', 'running') and o.id <> r.id
        limit ${MOST_COUNTED}) t) else 0 end as before,
      (select count(*) from (select 1 from organization order by id limit 2) t) > 1 as several
    from run r where r.lane = ${lane} and r.status in ('queued', 'running', 'parked')
    order by r.status = 'queued', r.position limit 1`.execute(tx)
  const [head] = rows
  // Nothing to do there: whoever takes the call finds that out.
  if (!head) return { priority: 0, group: null }
  const behind = Math.floor((head.at - EPOCH) / STEP_SECONDS) + head.before * BEHIND_EACH_STEPS
  return {
    priority: head.urgency * URGENCY_STEPS - Math.min(Math.max(0, behind), URGENCY_STEPS - 1),
    // Who has the instance for itself needs no share of it. What is urgent is counted apart: whoever is busy may still go back.
    group: head.several ? `${head.orgId}${head.urgency > URGENCY.usual ? ' urgent' : ''}` : null,
  }
}
