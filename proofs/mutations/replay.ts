import { type Copy, makeCopy } from './copy.ts'
import { mutations } from './list.ts'
import type { Mutation } from './mutation.ts'
import { type Noticed, notice, runTests } from './notice.ts'
import { run } from './run.ts'

const BUILD_MINUTES = 10
const WORDS = { red: 'RED', green: 'NOT NOTICED', broken: 'BROKEN' }

/** `bin/prove --mutate` lists the faults, `--mutate NAME…` or `--mutate all` makes each in a copy and looks who notices. */
export async function replay(wanted: string[]): Promise<boolean> {
  if (wanted.length === 0) return list()
  const unknown = wanted.filter((name) => name !== 'all' && !mutations.some((mutation) => mutation.name === name))
  if (unknown.length > 0) {
    console.error(`There is no mutation named ${unknown.join(', ')}. bin/prove --mutate lists them.`)
    return false
  }
  const chosen = mutations.filter(({ name }) => wanted.includes('all') || wanted.includes(name))
  const copy = makeCopy()
  const unsound = await build(copy)
  if (unsound !== undefined) throw new Error(`The checkout does not build: ${unsound}`)
  const control = await controls(copy, chosen)
  let red = 0
  for (const mutation of chosen) {
    const began = performance.now()
    const { how, said } = control(mutation) ?? (await withFault(copy, mutation))
    if (how === 'red') red++
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(`${WORDS[how].padEnd(12)}${mutation.name} (${seconds} s): ${said}`)
  }
  console.log(`${chosen.length} mutations, ${red} red`)
  return red === chosen.length
}

function list(): true {
  for (const { name, guards, red } of mutations)
    console.log(`${name.padEnd(44)}${('test' in red ? 'test' : red.prove).padEnd(24)}${guards}`)
  console.log(`${mutations.length} mutations`)
  return true
}

/**
 * A test that fails without the fault says nothing about it, and it costs seconds to know. A proof costs minutes: its
 * ledger says that it holds, and a mutation names the words that it must miss with.
 */
async function controls(copy: Copy, chosen: Mutation[]): Promise<(mutation: Mutation) => Noticed | undefined> {
  const tests = chosen.flatMap(({ red }) => ('test' in red ? [red] : []))
  const green = new Set<string>()
  for (const [file, all] of Map.groupBy(tests, ({ test }) => test)) {
    const titles = [...new Set(all.map(({ title }) => title))]
    const { ran } = await runTests(copy.dir, file, titles)
    for (const title of titles) {
      const own = ran.filter(({ fullName }) => fullName.includes(title))
      if (own.length > 0 && own.every(({ status }) => status === 'passed')) green.add(`${file} ${title}`)
    }
  }
  return ({ red }) =>
    'test' in red && !green.has(`${red.test} ${red.title}`)
      ? { how: 'broken', said: 'the test does not pass without the fault' }
      : undefined
}

async function withFault(copy: Copy, mutation: Mutation): Promise<Noticed> {
  copy.apply(mutation)
  try {
    const broken = await build(copy)
    return broken === undefined ? await notice(copy.dir, mutation.red) : { how: 'broken', said: broken }
  } finally {
    copy.restore(mutation)
  }
}

/** What the compiler has against it; undefined when it has nothing. */
async function build({ dir }: Copy): Promise<string | undefined> {
  const { code, words } = await run(dir, ['npm', 'run', '--silent', 'build'], { minutes: BUILD_MINUTES })
  return code === 0 ? undefined : words.trim()
}
