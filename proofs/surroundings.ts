import { chosen } from './ledger/sizes.ts'
import { clockStories } from './parts/surroundings/clock.ts'
import { databaseStories } from './parts/surroundings/database.ts'
import { diskStories } from './parts/surroundings/disk.ts'
import { engineStories } from './parts/surroundings/engine.ts'
import { fullDatabaseStories } from './parts/surroundings/full-database.ts'
import { fullEngineStories } from './parts/surroundings/full-engine.ts'

export const claim =
  'A full disk, clocks that jump, a database that takes no writes, an engine that is silent, slow or shared: visitors notice nothing, and what is said stays true.'
export const kind = 'story'
export const quick = false

/** One after the other: each needs the machine to itself. */
export async function prove(): Promise<{ ok: boolean; figure: string }> {
  // A part of a name, while one works on a story.
  const wanted = chosen('SLIPWAY_STORY')
  const all = [
    ...diskStories,
    ...fullDatabaseStories,
    ...fullEngineStories,
    ...databaseStories,
    ...engineStories,
    ...clockStories,
  ]
  const stories = all.filter(({ name }) => wanted === undefined || name.includes(wanted))
  let right = 0
  for (const { name, run } of stories) {
    const began = performance.now()
    const wrong = await run().catch((error: Error) => [`it broke: ${error.stack?.slice(0, 600)}`])
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`  ${wrong.length === 0 ? 'right' : 'WRONG'}  ${name} (${seconds} s)`)
    for (const each of wrong) console.log(`         ${each}`)
    if (wrong.length === 0) right++
  }
  return { ok: right === stories.length && right > 0, figure: `${right} of ${stories.length} stories right` }
}
