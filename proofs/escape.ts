import { controlRows } from './parts/escape/controls.ts'
import { keepVisiting } from './parts/escape/cookie.ts'
import { exhaust } from './parts/escape/exhaust.ts'
import { locks } from './parts/escape/locks.ts'
import { seenIn } from './parts/escape/markers.ts'
import { policyRows } from './parts/escape/policy-rows.ts'
import { corpusRows } from './parts/escape/rows.ts'
import { type Size, sizeOf } from './parts/escape/sizes.ts'
import { specialRows } from './parts/escape/special-rows.ts'
import { openStage, type Row, type Stage } from './parts/escape/stage.ts'
import { theft } from './parts/escape/theft.ts'

export const claim =
  'no hostile input reads, changes or takes away what is another project’s, the server’s or the platform’s'
export const kind = 'story'
export const quick = false

export async function prove(): Promise<{ ok: boolean; figure: string; partial?: true }> {
  const size = sizeOf()
  const stage = await openStage()
  try {
    const rows = await everything(stage, size)
    return { ...verdict(rows), ...(!size.whole && { partial: true }) }
  } finally {
    await stage.close()
  }
}

async function everything(stage: Stage, size: Size): Promise<Row[]> {
  const rows: Row[] = []
  const note = (...more: Row[]) => {
    for (const row of more) say(row)
    rows.push(...more)
  }
  const stop = keepVisiting(stage)
  await corpusRows(stage, ({ name }) => size.takes(name), note)
  note(...(await specialRows(stage, size.takes)))
  note(...(await policyRows(stage, size.takes)))
  await stop()
  // Before the controls, of which one gives it the cookie.
  note(await overheard(stage))
  note(...(await controlRows(stage)))
  if (size.hasParts) for (const part of [locks, theft]) note(...(await part(stage).catch(broken(part.name))))
  note(...(await exhaust(stage, size).catch(broken('exhaust'))))
  return rows
}

/** What could not be tried to its end has not been shown. */
const broken =
  (name: string) =>
  (error: unknown): Row[] => [{ name, door: 'part', verdict: 'no result', words: String(error).slice(0, 300) }]

/** All the while an attacker that visitors reach has listened on every port that others may take it for. */
async function overheard({ publicAttacker, ground }: Stage): Promise<Row> {
  const { logs } = await publicAttacker()
  const seen = seenIn(await logs(), ground.markers)
  const row = { name: 'what a public attacker overheard', door: 'special' }
  if (seen.length > 0) return { ...row, verdict: 'WORKED', words: seen.join('; ') }
  return { ...row, verdict: 'harmless', words: 'nothing of another’s' }
}

const say = ({ name, door, verdict, words, control }: Row) =>
  console.log(`${(control ? `(${verdict})` : verdict).padEnd(11)}${door} ${name}: ${words}`)

/** What visitors of the neighbour felt at the worst. */
function worstOf(tries: Row[]): string[] {
  const times = tries.flatMap(({ times: one }) => (one === undefined ? [] : [one]))
  return times.length === 0 ? [] : [`a neighbour’s p99 at most ${Math.max(...times).toFixed(2)} times of quiet`]
}

function verdict(rows: Row[]): { ok: boolean; figure: string } {
  const controls = rows.filter(({ control }) => control)
  const tries = rows.filter(({ control }) => !control)
  const caught = controls.filter(({ verdict: one }) => one === 'WORKED').length
  const count = (wanted: Row['verdict']) => tries.filter(({ verdict: one }) => one === wanted).length
  const worked = tries.filter(({ verdict: one }) => one === 'WORKED')
  const writes = worked.filter(({ words }) => words.includes('written: ')).length
  const unknown = count('no result')
  for (const row of [...worked, ...tries.filter(({ verdict: one }) => one === 'no result')]) say(row)
  const figure = [
    `${tries.length} inputs: ${count('refused')} refused, ${count('harmless')} harmless`,
    `${worked.length} worked (${writes} writes), ${unknown} without a result`,
    ...worstOf(tries),
    `${caught} of ${controls.length} controls caught`,
  ].join('; ')
  return { ok: worked.length + unknown === 0 && caught === controls.length && tries.length > 0, figure }
}
