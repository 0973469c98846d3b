import { BY_ORGANIZATION, BY_SOMETHING_ELSE, type Mutation } from './parts/foreign-ids/mutations.ts'
import { type Ended, runMatrix } from './parts/foreign-ids/run-matrix.ts'

export const claim =
  'no route shows or takes what another organization has: dropping the organization from any of twelve lookups turns the matrix red'
export const kind = 'story'
export const quick = false

/** Fewer cases than this are not the matrix. */
const FEWEST = 200

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const asItIs = await runMatrix(null)
  say('as it is', asItIs)
  const sound = asItIs.ran >= FEWEST && asItIs.failed.length === 0
  const found = await caught(BY_ORGANIZATION, asItIs.ran)
  const more = await caught(BY_SOMETHING_ELSE, asItIs.ran)
  const all = [BY_ORGANIZATION.length, BY_SOMETHING_ELSE.length]
  return {
    ok: sound && found === all[0] && more === all[1],
    figure: `${asItIs.ran} tests pass as it is (${asItIs.failed.length} fail); without the organization in a lookup they fail for ${found} of ${all[0]} stores, without the person or project in one for ${more} of ${all[1]}`,
  }
}

/** A fault counts as caught when all tests ran and one that compares a foreign thing with an unknown one failed. */
async function caught(mutations: Mutation[], tests: number): Promise<number> {
  let count = 0
  for (const mutation of mutations) {
    const ended = await runMatrix(mutation)
    say(mutation.what, ended)
    if (ended.ran === tests && ended.failed.some((name) => name.includes('looks unknown'))) count++
  }
  return count
}

function say(what: string, { ran, failed, words }: Ended): void {
  console.log(`  ${String(failed.length).padStart(3)} of ${ran} fail  ${what}`)
  for (const name of failed.slice(0, 2)) console.log(`                  ${name}`)
  if (ran === 0) console.log(words)
}
