import { loadavg } from 'node:os'
import { MOST_ORDERS } from '../server/src/core/domains/certificates/plan.ts'
import { size as sizeOf } from './ledger/sizes.ts'
import { DAY, HOUR, type Play, type Played, play } from './parts/tls/paper.ts'
import { openTwoEdges, type ScaleEdge, type TwoEdges } from './parts/tls/two-edges.ts'

export const claim =
  "A handshake at an edge with 5,000 names takes as long as at one with a single name; 100,000 certificates are renewed evenly, within the CA's limits."
export const kind = 'figure'
export const quick = true

/** Smaller only while something is being tried out. */
const size = (name: string, full: number) => sizeOf(`SLIPWAY_PROOF_${name}`, full)
const NAMES = size('NAMES', 5000)
const HANDSHAKES = size('HANDSHAKES', 1000)
const PAPER_NAMES = size('PAPER_NAMES', 100_000)

const MOST_RATIO = 1.5
/** Of the busiest hour to the average. */
const MOST_UNEVEN = 1.5
const LEAST_DAYS_LEFT = 20
/** Of one name in an hour, as the largest public CA documents it. */
const MOST_FAILED_PROOFS = 5

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const edges = await openTwoEdges(`tlsscale-${process.pid}`, 1, NAMES)
  const shown = await measured(edges).finally(() => edges.close())
  const planned = plays.map(onPaper)
  return {
    ok: shown.ok && planned.every(({ ok }) => ok),
    figure: [shown.figure, ...planned.map(({ figure }) => figure), `load average ${loadavg()[0]?.toFixed(1)}`].join(
      '; ',
    ),
  }
}

async function measured(edges: TwoEdges): Promise<{ ok: boolean; figure: string }> {
  const { small, large } = edges
  console.log(`  ${NAMES} certificates and routes were laid out in ${large.fillSeconds.toFixed(1)} s`)
  const [one, many]: [number[], number[]] = [[], []]
  const failures: string[] = []
  const visit = async (edge: ScaleEdge, times: number[]) => {
    const host = edge.names[Math.floor(Math.random() * edge.names.length)] ?? ''
    await edges.handshake(edge, host).then(
      (ms) => times.push(ms),
      (error: Error) => failures.push(`${host}: ${error.message}`),
    )
  }
  // In turn, so that both have the same neighbours on this machine.
  for (let n = 0; n < HANDSHAKES; n++) {
    await visit(small, one)
    await visit(large, many)
  }
  for (const failure of failures.slice(0, 10)) console.log(`  failed ${failure}`)
  const idle = await idleSeconds(large)
  const ratio = at(many, 0.95) / at(one, 0.95)
  const figure = [
    `handshake with ${NAMES} names on one edge: p95 ${at(many, 0.95).toFixed(1)} ms (p50 ${at(many, 0.5).toFixed(1)})`,
    `with one name ${at(one, 0.95).toFixed(1)} ms (p50 ${at(one, 0.5).toFixed(1)}), ratio ${ratio.toFixed(2)} (bar ${MOST_RATIO})`,
    `${failures.length} of ${2 * HANDSHAKES} failed`,
    `a look at all its files with nothing to do ${idle.toFixed(1)} s`,
  ]
  return { ok: ratio <= MOST_RATIO && failures.length === 0, figure: figure.join(', ') }
}

/** What the look that is taken every half minute costs: nobody may be asked for a key. */
async function idleSeconds({ edge, names }: ScaleEdge): Promise<number> {
  const never = () => Promise.reject(new Error('a key was asked for though nothing was missing'))
  const wanted = names.map((host) => ({ host, id: 'first', pem: never }))
  const began = performance.now()
  const done = await edge.certificates.reconcile(null, wanted)
  if (done.written + done.removed > 0) throw new Error(`something was changed: ${JSON.stringify(done)}`)
  return (performance.now() - began) / 1000
}

function at(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** A certificate lives 90 days; each of these is played for long enough that all of them are renewed at least once. */
const evenly = (n: number) => (60 * n) / PAPER_NAMES
const plays: [string, Play][] = [
  ['issued evenly over the last 60 days', { domains: PAPER_NAMES, days: 120, age: evenly }],
  ['all without one at the beginning', { domains: PAPER_NAMES, days: 120, age: () => null }],
  [
    'one try in 50 failing and the CA away for 12 h',
    {
      ...{ domains: PAPER_NAMES, days: 120, age: evenly, failing: 0.02 },
      outage: { from: 30 * DAY, to: 30 * DAY + 12 * HOUR },
    },
  ],
]

function onPaper([what, wanted]: [string, Play]): { ok: boolean; figure: string } {
  const seen = play(wanted)
  const { renewals, mostInWindow, leastDaysLeft } = seen
  const uneven = renewals.busiestHour / renewals.perHour
  console.log(`  ${what}: ${JSON.stringify(seen)}`)
  const figure = [
    `${wanted.domains} names ${what}, ${wanted.days} days on paper: at most ${mostInWindow} orders in 3 h (limit ${MOST_ORDERS})`,
    `${renewals.count} renewals, busiest hour ${renewals.busiestHour} of ${renewals.perHour.toFixed(0)} on average (bar ${MOST_UNEVEN}×)`,
    `at least ${leastDaysLeft.toFixed(0)} days left (bar ${LEAST_DAYS_LEFT}), ${seen.expired} expired`,
  ]
  return { ok: isGood(seen, wanted) && uneven <= MOST_UNEVEN, figure: figure.join(', ') }
}

const isGood = (seen: Played, { domains }: Play): boolean =>
  seen.mostInWindow <= MOST_ORDERS &&
  seen.leastDaysLeft >= LEAST_DAYS_LEFT &&
  seen.mostFailuresOfName <= MOST_FAILED_PROOFS &&
  seen.renewals.count >= domains &&
  seen.expired + seen.without === 0
