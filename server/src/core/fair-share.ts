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

/**
 * Does something for each, so many at once; and of one organization so many while there are others, so that it cannot hold
 * them up.
 */
export async function eachFairly<T extends OfOrg>(
  items: T[],
  { atOnce, perOrg, signal }: Limits,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = byOrg(interleaved(items))
  const busy = new Map<string, number>()
  const isAlone = (orgId: string) => waiting.size === 1 && busy.size <= Number(busy.has(orgId))
  /** The first of an organization that has not its share at work; who was served goes to the end of the line. */
  const next = (): T | undefined => {
    for (const [orgId, line] of waiting) {
      if ((busy.get(orgId) ?? 0) >= perOrg && !isAlone(orgId)) continue
      const item = line.shift()
      waiting.delete(orgId)
      if (line.length > 0) waiting.set(orgId, line)
      return item
    }
    return undefined
  }
  await new Promise<void>((done, fail) => {
    let running = 0
    const start = () => {
      while (running < atOnce && !signal.aborted) {
        const item = next()
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
      if (running === 0) done()
    }
    start()
  })
}
