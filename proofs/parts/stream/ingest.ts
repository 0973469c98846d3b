import { randomUUID } from 'node:crypto'
import { eventWriter } from '../../../server/src/core/deployments/events/events.ts'
import { redactor } from '../../../server/src/core/deployments/events/redact.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'

export type Ingest = { ours: number; bare: number; ratio: number; rounds: number }

/** Of the run that the lines are written for. */
export const CLAIM = { fence: 1, claim: randomUUID() }

const BATCH = 500
const SECRETS = Array.from({ length: 20 }, (_, n) => `a-secret-value-number-${n}`)

type Line = { service: string; step: string; stream: string; line: string }
const lineOf = (n: number): Line => ({
  service: 'web',
  step: 'sha256:3f9d6c0a9d1e4b7f8a2c5e6d7b8a9f0e1d2c3b4a5f6e7d8c9b0a1f2e3d4c5b6a',
  stream: 'stdout',
  line: `row ${n} added 412 packages, and audited 413 packages in 9s, 58 packages are looking for funding`,
})

/**
 * Lines per second from the writer's door to the committed row, against an insert of the same rows in batches of the same
 * size that does nothing else: no numbering, no fence, no redaction. In turns, on one connection each.
 */
export async function measureIngest(
  database: TestDatabase,
  id: string,
  lines: number,
  rounds: number,
): Promise<Ingest> {
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const theirs = await timed(lines, () => insertBare(database, id, lines))
    await emptied(database, id)
    const mine = await timed(lines, () => writeEvents(database, id, lines))
    await emptied(database, id)
    // The first round warms both.
    if (round > 0) bare.push(theirs)
    if (round > 0) ours.push(mine)
  }
  const [o, b] = [median(ours), median(bare)]
  return { ours: o, bare: b, ratio: o / b, rounds }
}

async function timed(lines: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return lines / ((performance.now() - began) / 1000)
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

async function emptied({ pool }: TestDatabase, id: string): Promise<void> {
  await pool.query('delete from deployment_event where deployment_id = $1', [id])
  await pool.query('vacuum deployment_event')
}

async function insertBare(database: TestDatabase, id: string, lines: number): Promise<void> {
  for (let n = 0; n < lines; n += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, k) => n + k)
    const at = new Date().toISOString()
    await database.pool.query(
      `insert into deployment_event (deployment_id, seq, at, type, data)
       select $1, * from unnest($2::bigint[], $3::timestamptz[], $4::text[], $5::jsonb[])`,
      [
        id,
        numbers.map((number) => number + 1),
        numbers.map(() => at),
        numbers.map(() => 'log'),
        numbers.map((number) => JSON.stringify(lineOf(number))),
      ],
    )
  }
}

async function writeEvents(database: TestDatabase, id: string, lines: number): Promise<void> {
  const changes = { send: () => {}, subscribe: () => () => {}, close: () => {} }
  let lost = false
  const onLost = () => {
    lost = true
  }
  const writer = eventWriter({ db: database.db, changes, id, fence: CLAIM, redact: redactor(SECRETS), onLost })
  for (let n = 0; n < lines; n++) {
    writer.write('log', lineOf(n))
    if (n % 200 === 0) await writer.room()
  }
  await writer.flush()
  if (lost) throw new Error('the writer lost its run')
}
