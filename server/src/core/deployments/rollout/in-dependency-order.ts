import { semaphore } from '../../semaphore.ts'
import type { Wait } from '../blueprint/blueprint.ts'

type Ended = { came: boolean }
type Order<Item, End> = {
  after: Record<string, Wait[]>
  /** That many at a time. */
  most: number
  one(item: Item): Promise<End>
  /** For one that is not begun, because of another. */
  held(item: Item, by: string): Promise<End>
}

/** Each when all that it waits for has come, several at a time. Whatever throws is thrown when the others have ended. */
export async function inDependencyOrder<Item extends { service: string }, End extends Ended>(
  items: Item[],
  { after, most, one, held }: Order<Item, End>,
): Promise<End[]> {
  const ends = new Map<string, Promise<End>>()
  const withPermit = semaphore(most)
  for (const item of items) {
    const waits = (after[item.service] ?? []).filter(({ service }) => ends.has(service))
    const begin = async (): Promise<End> => {
      for (const { service, required } of waits) {
        const end = await ends.get(service)
        if (!end?.came && required) return held(item, service)
      }
      return withPermit(() => one(item))
    }
    const end = begin()
    end.catch(() => {})
    ends.set(item.service, end)
  }
  const all = await Promise.allSettled(ends.values())
  const thrown = all.find((end) => end.status === 'rejected')
  if (thrown) throw thrown.reason
  return all.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
}
