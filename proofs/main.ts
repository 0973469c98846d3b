import { readdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { requireBuilt } from './ledger/built.ts'
import { proveEach } from './ledger/every.ts'
import { keep, readLedger } from './ledger/ledger.ts'
import { chosen, isFull, sizes } from './ledger/sizes.ts'
import { subjectOf } from './ledger/subject.ts'
import { replay } from './mutations/replay.ts'

/** A claim about Slipway and the program that shows it. */
export type Proof = {
  claim: string
  /** A story holds or does not, on any machine; a figure is measured, and says something of the machine as well. */
  kind: 'story' | 'figure'
  /** Short enough to run in bin/ci. */
  quick: boolean
  /** `figure` is what was measured; `ok` says whether the bar was met; `partial`, that it was not tried at its full size. */
  prove(): Promise<{ ok: boolean; figure: string; partial?: true }>
}

const KINDS = { story: 'Stories: what holds or does not', figure: 'Figures: what is measured' } as const

const names = () =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'main.ts')
    .map((entry) => entry.name.slice(0, -3))
    .sort()

const load = (name: string): Promise<Proof> => import(`./${name}.ts`)

async function list(): Promise<void> {
  const all = await Promise.all(names().map(async (name) => ({ name, ...(await load(name)) })))
  for (const [wanted, title] of Object.entries(KINDS)) {
    console.log(title)
    for (const { name, kind, claim, quick } of all)
      if (kind === wanted) console.log(`  ${name.padEnd(24)}${quick ? 'quick  ' : '       '}${claim}`)
  }
}

async function run(name: string): Promise<boolean> {
  // Elsewhere than the claim says: what was measured there is not its figure.
  chosen('SLIPWAY_PROVE_OVER_SSH')
  const proof = await load(name)
  requireBuilt()
  console.log(`${name}: ${proof.claim}`)
  const began = { at: performance.now(), load: loadavg()[0] ?? 0, subject: subjectOf(name) }
  const { ok, figure, partial } = await proof.prove()
  const whole = isFull() && !partial
  const result = ok ? 'PROVED' : 'MISSED'
  if (whole && process.env.CI !== 'true') {
    const seconds = Math.round((performance.now() - began.at) / 1000)
    const when = { date: new Date().toISOString().slice(0, 10), seconds, load: Math.round(began.load * 10) / 10 }
    keep(name, { result, figure, ...when, sizes: sizes(), ...began.subject })
  }
  console.log(`${ok && !whole ? 'PARTIAL' : result} ${name}: ${figure}`)
  return ok
}

/** Why a proof's last figure says nothing about what is here; undefined when it does. */
function staleBecause(name: string): string | undefined {
  const last = readLedger()[name]
  if (!last) return 'never run at its full size'
  const now = subjectOf(name)
  if (last.proof !== now.proof) return `the proof has changed since ${last.date}`
  return last.product === now.product ? undefined : `the product has changed since ${last.date}`
}

function stale(): void {
  const found = names().map((name) => ({ name, why: staleBecause(name) }))
  for (const { name, why } of found) if (why) console.log(`${name.padEnd(22)}${why}`)
  console.log(`${found.filter(({ why }) => why).length} of ${found.length} proofs are stale`)
}

const all = (onlyStale: boolean): Promise<boolean> =>
  several(names().filter((name) => !onlyStale || staleBecause(name) !== undefined))

async function several(wanted: string[]): Promise<boolean> {
  return proveEach(await Promise.all(wanted.map(async (name) => ({ name, kind: (await load(name)).kind }))))
}

// What listens to `exit` ends what it started; a signal alone would leave all of that behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.setMaxListeners(100)

const [wanted, ...more] = process.argv.slice(2)
if (wanted === undefined) await list()
else if (wanted === '--all') process.exitCode = (await all(more.includes('--stale'))) ? 0 : 1
else if (wanted === '--stale') stale()
else if (wanted === '--mutate') process.exitCode = (await replay(more)) ? 0 : 1
else {
  const unknown = [wanted, ...more].filter((name) => !names().includes(name))
  if (unknown.length > 0) {
    console.error(`There is no proof named ${unknown.join(', ')}. bin/prove lists them.`)
    process.exitCode = 2
  } else process.exitCode = (await (more.length > 0 ? several([wanted, ...more]) : run(wanted))) ? 0 : 1
}
process.exit()
