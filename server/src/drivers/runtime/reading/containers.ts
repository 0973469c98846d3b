import { statusOf } from '../../engine/ask.ts'
import type { FoundContainer } from './found.ts'
import { AnswerTooLarge, type GetJson } from './get-json.ts'
import { dict, list, text } from './plain.ts'
import { readContainer } from './read-container.ts'
import type { Listing } from './server-reader.ts'
import { sideBySide } from './side-by-side.ts'

const MIB = 1024 ** 2
const PAGE = 100
const MOST_PAGE = 2 * MIB
const MOST_INSPECTION = 4 * MIB
/** Requests at once: more of them are no faster near, and 80 ms away 500 containers take 5 s. */
const WIDTH = 16
const ID = /^[0-9a-f]{64}$/

/** Every container, running or not, newest first. The list is read in pages: one label of megabytes is in all of them. */
export async function readContainers(get: GetJson, most: number, total: number): Promise<Listing> {
  const ids = await readIds(get, most)
  let tooLarge = 0
  const found = await sideBySide(ids, WIDTH, async (id): Promise<FoundContainer | null> => {
    try {
      return readContainer(await get(`/containers/${id}/json`, { mostBytes: MOST_INSPECTION }))
    } catch (error) {
      if (error instanceof AnswerTooLarge) tooLarge++
      // It was removed in between.
      else if (statusOf(error) !== 404) throw error
      return null
    }
  })
  const containers = found.filter((one) => one !== null)
  return { containers, total: Math.max(total, ids.length), tooLarge }
}

/** Pages shrink before what is too large and grow again behind it: each one that fails costs what may be read in all. */
async function readIds(get: GetJson, most: number): Promise<string[]> {
  const ids = new Set<string>()
  for (let limit = PAGE; ids.size < most; ) {
    const page = await readPage(get, [...ids], Math.min(limit, most - ids.size))
    if (page === 'too large') {
      limit = Math.ceil(limit / 8)
      continue
    }
    const before = ids.size
    for (const id of page) if (ID.test(id)) ids.add(id)
    if (ids.size === before) break
    limit = Math.min(PAGE, limit * 2)
  }
  return [...ids]
}

async function readPage(get: GetJson, before: string[], limit: number): Promise<string[] | 'too large'> {
  const filters =
    before.length === 0 ? '' : `&filters=${encodeURIComponent(JSON.stringify({ before: before.slice(-1) }))}`
  try {
    const answer = await get(`/containers/json?all=1&limit=${limit}${filters}`, { mostBytes: MOST_PAGE })
    return list(answer).map((one) => text(dict(one).Id))
  } catch (error) {
    // The one before was removed: the page begins after one that is still there.
    if (statusOf(error) === 404 && before.length > 0) return readPage(get, before.slice(0, -1), limit)
    if (!(error instanceof AnswerTooLarge)) throw error
    if (limit > 1) return 'too large'
    const [, id = ''] = /"Id":"([0-9a-f]{64})"/.exec(error.beginning) ?? []
    return [id]
  }
}
