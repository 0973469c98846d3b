import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { lineTo } from '../../../test-kit/storage.ts'
import { drive } from './drive.ts'
import type { Kind } from './kinds.ts'

const MIB = 1024 * 1024
const BYTES = 80 * MIB
/** The line comes back before the driver has given up tidying, most of the time; else the next sweep has to find it. */
const DOWN_MS = [0, 300, 1_000, 2_000, 7_000]

export type Cuts = { tries: number; carriedOn: number; ended: number; seen: number; orphans: number; swept: number }

const key = 'cut/archive.tar'
const objects = (left: string[]) => left.filter((name) => name.endsWith(key))
const unfinished = (left: string[]) => left.filter((name) => /unfinished|\.part$/.test(name))

/** Cuts the connection of a write at random points; whoever was told "no" must have left nothing. */
export async function cutOff({ ground }: Kind, file: string, tries: number): Promise<Cuts> {
  const found: Cuts = { tries, carriedOn: 0, ended: 0, seen: 0, orphans: 0, swept: 0 }
  if (ground.reached === null) return found
  const line = await lineTo(ground.reached.host, ground.reached.port)
  const expected = await sumOf(file, BYTES)
  try {
    for (let round = 0; round < tries; round += 1) {
      const downMs = DOWN_MS[round % DOWN_MS.length] ?? 0
      line.cutAfter(Math.floor(Math.random() * BYTES), downMs)
      const began = Date.now()
      const task = { verb: 'put', place: ground.through(line.port), key, file, bytes: BYTES } as const
      const answer = await drive(task).answer.catch(() => null)
      const left = await ground.left()
      if (answer) {
        found.carriedOn += 1
        const stored = await drive({ verb: 'get', place: ground.place, key }).answer
        if (stored.sha256 !== expected) found.seen += 1
        await clear(ground, found)
      } else {
        found.ended += 1
        found.seen += objects(left).filter((name) => !name.startsWith('unfinished')).length
        await delay(Math.max(0, downMs - (Date.now() - began)))
        if (unfinished(left).length > 0) await clear(ground, found)
      }
    }
  } finally {
    await line.stop()
  }
  return found
}

/** Kills the whole process at random moments of a write. */
export async function killOff({ ground }: Kind, file: string, tries: number): Promise<Cuts> {
  const found: Cuts = { tries, carriedOn: 0, ended: 0, seen: 0, orphans: 0, swept: 0 }
  const expected = await sumOf(file, BYTES * 4)
  for (let round = 0; round < tries; round += 1) {
    const { child, answer } = drive({ verb: 'put', place: ground.place, key, file, bytes: BYTES * 4 })
    await Promise.race([answer.catch(() => {}), delay(150 + Math.random() * 1_200)])
    child.kill('SIGKILL')
    const ended = await answer.then(
      () => false,
      () => true,
    )
    const left = await ground.left()
    if (ended) {
      found.ended += 1
      found.seen += await halfWritten(ground, left, expected)
    } else found.carriedOn += 1
    await clear(ground, found)
  }
  return found
}

/** What is there although its writer did not live to say so has to be the whole of it. */
async function halfWritten(ground: Kind['ground'], left: string[], expected: string): Promise<number> {
  if (!objects(left).some((name) => !name.startsWith('unfinished'))) return 0
  const { sha256 } = await drive({ verb: 'get', place: ground.place, key }).answer
  return sha256 === expected ? 0 : 1
}

/** What the product's own sweep does not find is an orphan; the rest goes before the next try. */
async function clear(ground: Kind['ground'], found: Cuts): Promise<void> {
  found.swept += (await drive({ verb: 'sweep', place: ground.place }).answer).count
  found.orphans += unfinished(await ground.left()).length
  await ground.empty()
}

async function sumOf(file: string, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { end: bytes - 1, highWaterMark: MIB })) hash.update(chunk)
  return hash.digest('hex')
}
