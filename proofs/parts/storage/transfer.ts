import { createHash } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { drive } from './drive.ts'
import type { Kind } from './kinds.ts'

/** At least so much of what the kind's own tool does in the same run. */
export const LEAST_RATIO = 0.7

export type Transfer = { up: Pace; down: Pace; same: boolean; peakMb: number }
export type Pace = { ours: number; native: number; ratio: number }
type File = { path: string; bytes: number; sha256: string }

const clock = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** One after the other, so that neither takes the processor from the other. All rounds, whatever the first ones said. */
async function pace(
  { bytes, rounds }: { bytes: number; rounds: number },
  native: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<Pace> {
  const best = { ours: Number.POSITIVE_INFINITY, native: Number.POSITIVE_INFINITY }
  for (let round = 1; round <= rounds; round += 1) {
    best.native = Math.min(best.native, await native())
    best.ours = Math.min(best.ours, await ours())
  }
  const rate = (seconds: number) => bytes / 1e6 / seconds
  return { ours: rate(best.ours), native: rate(best.native), ratio: best.native / best.ours }
}

export async function transfer({ ground, native, rounds }: Kind, file: File): Promise<Transfer> {
  const found = { same: true, peakMb: 0 }
  const key = 'archive/large.tar'
  const into = `${file.path}.back`
  const ask = async (verb: 'put' | 'get') => {
    const what = { place: ground.place, key }
    const task = verb === 'put' ? { verb, ...what, file: file.path } : { verb, ...what, into, sha256: file.sha256 }
    const { seconds, sha256, bytes, peakMb } = await drive(task).answer
    // The driver says that it is right; what lies there is looked at once more.
    const sum = verb === 'put' ? sha256 : await sumOf(into)
    found.same &&= sum === file.sha256 && bytes === file.bytes
    found.peakMb = Math.max(found.peakMb, peakMb)
    return seconds
  }
  const up = await pace(
    { bytes: file.bytes, rounds },
    () => clock(() => native.put(file.path)),
    () => ask('put'),
  )
  const down = await pace(
    { bytes: file.bytes, rounds },
    () => clock(() => native.get(into)),
    () => ask('get'),
  )
  rmSync(into, { force: true })
  return { up, down, ...found }
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
  return hash.digest('hex')
}
