import { drive } from './drive.ts'
import type { Kind } from './kinds.ts'
import type { Answer } from './worker.ts'

/** Half of them in one folder, the rest by hundreds; made behind the driver's back. */
function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? `flat/object-${index}` : `by/day-${Math.floor(index / 200)}/object-${index}`,
  )
}

export async function listing({ ground }: Kind, count: number): Promise<Answer> {
  await ground.plant(names(count))
  const listed = await drive({ verb: 'list', place: ground.place, limit: 1_000 }).answer
  await ground.empty()
  return listed
}
