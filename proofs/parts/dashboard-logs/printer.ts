import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type EventWriter, eventWriter } from '../../../server/src/core/deployments/events/events.ts'
import { newId } from '../../../server/src/db/ids.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'

const CLAIM = { fence: 1, claim: randomUUID() }
const CHANNEL = 'slipway_changed'
const TICK_MS = 50
const WORDS = ['checkout', 'orders', 'gift-cards', 'inventory', 'payments', 'price-rules', 'session-store']

/** A line as builds print them; every one is different. */
export const textOf = (n: number): string =>
  `row ${n} ${WORDS[n % WORDS.length]} lib/money.ts resolved in ${(n * 37) % 900} ms with ${n % 12} dependencies and nothing left to do`

type Place = { orgId: string; projectId: string; serverId: string }

/** A deployment that this program prints for: no process of the instance has its run, and none takes it. */
export async function openPrinter(database: TestDatabase, place: Place, number: number) {
  const id = newId('dep')
  const { pool } = database
  await pool.query(
    `insert into deployment (id, org_id, project_id, server_id, number, status, trigger, source, request, created_by, started_at)
     values ($1, $2, $3, $4, $5, 'building', 'manual', '{"kind":"image","image":"x"}', '{"buildStrategy":"auto"}', '{"kind":"user","name":"Ada"}', now())`,
    [id, place.orgId, place.projectId, place.serverId, number],
  )
  await pool.query(
    `insert into run (id, lane, kind, org_id, input, status, fence, claim) values ($1, $2, 'proof', $3, '{}', 'running', 1, $4)`,
    [id, id, place.orgId, CLAIM.claim],
  )
  const changes = {
    send: (of: string) => void pool.query('select pg_notify($1, $2)', [CHANNEL, of]),
    subscribe: () => () => {},
    close: () => {},
  }
  const fail = () => {
    throw new Error('the run was lost')
  }
  const writer = eventWriter({ db: database.db, changes, id, fence: CLAIM, redact: (text) => text, onLost: fail })
  const printed = { lines: 0 }
  return {
    id,
    printed,
    print: (count: number) => printAll(writer, printed, count),
    printFor: (seconds: number, perSecond: number) => printPaced(writer, printed, seconds, perSecond),
    /** Its last word; what comes after it is for nobody. */
    async end() {
      writer.write('end', { status: 'ready' })
      await writer.flush()
      await pool.query(`update deployment set status = 'ready', finished_at = now() where id = $1`, [id])
    },
  }
}

type Printed = { lines: number }

function say(writer: EventWriter, printed: Printed): void {
  const line = textOf(++printed.lines)
  writer.write('log', { service: printed.lines % 2 ? 'web' : 'api', step: 'build', stream: 'stdout', line })
}

async function printAll(writer: EventWriter, printed: Printed, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    say(writer, printed)
    if (n % 500 === 0) await writer.room()
  }
  await writer.flush()
}

/** As many lines as belong to the time that has passed, again and again. */
async function printPaced(writer: EventWriter, printed: Printed, seconds: number, perSecond: number): Promise<void> {
  const began = performance.now()
  const from = printed.lines
  const all = seconds * perSecond
  while (printed.lines - from < all) {
    const due = Math.min(all, Math.floor(((performance.now() - began) / 1000) * perSecond))
    while (printed.lines - from < due) say(writer, printed)
    await writer.room()
    await pause(TICK_MS)
  }
  await writer.flush()
}
