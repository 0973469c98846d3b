type OfOrg = { orgId: string }

/**
 * Rows of a queue that everybody shares, the first ones, but of no organization more than its share while others wait.
 * Where less waits than there is room for, all of it comes. `fetch` gives the first so many, without those of some
 * organizations; it is asked again only while one of them would fill what the others need.
 */
export async function fairShare<T extends OfOrg>(
  { most, share }: { most: number; share: number },
  fetch: (most: number, except: string[]) => Promise<T[]>,
): Promise<T[]> {
  const taken = new Map<string, T[]>()
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = await fetch(most, [...taken.keys()])
    const lines = byOrg(found)
    const loud = [...lines].filter(([, rows]) => rows.length > share)
    if (found.length < most || loud.length === 0) return interleaved(merge(taken, lines)).slice(0, most)
    for (const [orgId, rows] of loud) taken.set(orgId, rows)
    if (round === MOST_ROUNDS - 1) for (const [orgId, rows] of lines) taken.set(orgId, rows)
  }
  return interleaved(taken).slice(0, most)
}

/** One query more for each: beyond that, those who come late wait for the next time. */
const MOST_ROUNDS = 6

const merge = <T>(one: Map<string, T[]>, other: Map<string, T[]>) => new Map([...one, ...other])

/** The first of each organization, then the second of each, and so on. */
export function interleaved<T extends OfOrg>(rows: Iterable<T> | Map<string, T[]>): T[] {
  const lines = [...(rows instanceof Map ? rows : byOrg(rows)).values()]
  const longest = Math.max(0, ...lines.map(({ length }) => length))
  const mixed: T[] = []
  for (let n = 0; n < longest; n++) for (const line of lines) if (line[n] !== undefined) mixed.push(line[n] as T)
  return mixed
}

function byOrg<T extends OfOrg>(rows: Iterable<T>): Map<string, T[]> {
  const lines = new Map<string, T[]>()
  for (const row of rows) {
    const line = lines.get(row.orgId)
    if (line) line.push(row)
    else lines.set(row.orgId, [row])
  }
  return lines
}

type Limits = { atOnce: number; perOrg: number; signal: AbortSignal }

/** Those that come after one, a page at a time; after null the first ones. None: that was all. */
export type Pages<T> = (after: T | null) => Promise<T[]>

/**
 * Does something for each, so many at once; and of one organization so many while there are others, so that it cannot hold
 * them up. Of pages no more are read than it takes for as many organizations to wait as there is work at once.
 */
export async function eachFairly<T extends OfOrg>(
  items: T[] | Pages<T>,
  { atOnce, perOrg, signal }: Limits,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = lines(items)
  const busy = new Map<string, number>()
  const mayBegin = (orgId: string) =>
    (busy.get(orgId) ?? 0) < perOrg || (waiting.isAlone() && busy.size <= Number(busy.has(orgId)))
  await new Promise<void>((done, fail) => {
    let running = 0
    const start = () => {
      while (running < atOnce && !signal.aborted) {
        const item = waiting.next(mayBegin)
        if (item === undefined) break
        running++
        busy.set(item.orgId, (busy.get(item.orgId) ?? 0) + 1)
        work(item)
          .finally(() => {
            running--
            const left = (busy.get(item.orgId) ?? 1) - 1
            if (left === 0) busy.delete(item.orgId)
            else busy.set(item.orgId, left)
          })
          .then(start, fail)
      }
      const reading = signal.aborted ? null : waiting.fill(atOnce)
      if (reading) reading.then(start, fail)
      else if (running === 0 && !waiting.isReading()) done()
    }
    start()
  })
}

/** A line for each organization; whoever was served goes to the end of all. */
function lines<T extends OfOrg>(items: T[] | Pages<T>) {
  const waiting = byOrg(Array.isArray(items) ? interleaved(items) : [])
  let more = Array.isArray(items) ? null : items
  let last: T | null = null
  let isReading = false
  const read = async (pages: Pages<T>) => {
    const page = await pages(last)
    last = page.at(-1) ?? null
    if (last === null) more = null
    for (const item of page) waiting.set(item.orgId, [...(waiting.get(item.orgId) ?? []), item])
  }
  return {
    /** The first of an organization that may begin something. */
    next(mayBegin: (orgId: string) => boolean): T | undefined {
      for (const [orgId, line] of waiting) {
        if (!mayBegin(orgId)) continue
        const item = line.shift()
        waiting.delete(orgId)
        if (line.length > 0) waiting.set(orgId, line)
        return item
      }
      return undefined
    },
    /** Nobody else waits, and nobody else will. */
    isAlone: () => more === null && waiting.size === 1,
    isReading: () => isReading,
    /** Null where enough wait, nobody else comes, or it is being read already. */
    fill(enough: number): Promise<void> | null {
      if (more === null || isReading || waiting.size >= enough) return null
      isReading = true
      return read(more).finally(() => {
        isReading = false
      })
    },
  }
}
