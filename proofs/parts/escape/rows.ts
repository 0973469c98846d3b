import { type Attacker, removeProject } from './attacker.ts'
import { type Case, readCorpus } from './cases.ts'
import { tryDomain } from './domains.ts'
import { tryBytes } from './edge.ts'
import { madeCases } from './made-cases.ts'
import type { Row, Stage } from './stage.ts'
import { judge, type Outcome, tryDeployment } from './try.ts'
import { wordsOf } from './words.ts'

const AT_ONCE = 4
const MOST_LEAVING = 8

/** Every case of the corpus that is asked for, each by an attacker of its own, a few at once. */
export async function corpusRows(
  stage: Stage,
  wanted: (one: Case) => boolean,
  note: (row: Row) => void,
): Promise<Row[]> {
  const { host } = await stage.publicAttacker()
  const corpus = readCorpus(await wordsOf(stage, host), stage.ground.hostFolder)
  const cases = [...corpus, ...madeCases(stage.look, stage.victim.host)].filter(wanted)
  const rows: Row[] = []
  const left = [...cases]
  const alone = turns()
  const lane = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const row = await (callsHome(stage, one) ? alone(() => rowOf(stage, one)) : rowOf(stage, one))
      rows.push(row)
      note(row)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  await Promise.all(leaving)
  return rows
}

/** One after the other. */
function turns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}

const callsHome = ({ ground }: Stage, { entries }: Case) =>
  entries.some(({ text }) => text.length < 100_000 && text.includes(ground.listener.address))

let count = 0
/** Projects on their way out: the next case need not wait for them, a few at most. */
const leaving: Promise<void>[] = []

/** One case from its beginning to what is to be said of it. */
export async function rowOf(stage: Stage, one: Case): Promise<Row> {
  const { ground, site } = stage
  if (leaving.length >= MOST_LEAVING) await leaving.shift()
  ground.plant(one.name)
  const home = callsHome(stage, one)
  if (home) ground.listener.take()
  const attacker = await stage.attacker(`row-${++count}`)
  try {
    const row = judge(stage, one, await outcomeOf(stage, attacker, one))
    const heard = home ? ground.listener.take() : ''
    if (heard === '') return row
    return {
      ...row,
      verdict: 'WORKED',
      words: `asked the attacker's own place: ${JSON.stringify(heard.slice(0, 120))}`,
    }
  } catch (error) {
    return { name: one.name, door: one.door, verdict: 'no result', words: String(error).slice(0, 300) }
  } finally {
    leaving.push(removeProject(site, attacker.project).catch((error) => console.log(`${one.name}: ${error}`)))
  }
}

function outcomeOf(stage: Stage, attacker: Attacker, one: Case): Promise<Outcome> {
  if (one.door === 'domains') return tryDomain(stage, attacker, one)
  if (one.door === 'edge') return tryBytes(stage, one)
  return tryDeployment(stage, attacker, one)
}
