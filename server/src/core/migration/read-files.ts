import type { FoundImage } from '../../drivers/runtime/reading/found.ts'
import type { ServerReader } from '../../drivers/runtime/reading/server-reader.ts'
import type { Running } from './reconcile.ts'
import { findParked, notAsked, type Parked, readStackFiles, type Stack, type StackFiles } from './stack-files.ts'
import type { Unit } from './units.ts'

export type ReadFiles = {
  files: ReadonlyMap<string, StackFiles>
  parked: Parked[]
  /** Why not everything was looked at; null: it was. */
  lacking: 'no_files' | 'late' | 'cut' | null
}

type Asked = {
  units: Unit[]
  images: ReadonlyMap<string, FoundImage | null>
  around: boolean
  deadlines: { filesMs: number }
}

const WIDTH = 24

/** The files of all stacks, side by side, and what lies around. What is not there in time is not known, and no failure. */
export async function readFiles(reader: ServerReader, asked: Asked): Promise<ReadFiles> {
  const stacks = stacksIn(asked)
  const files = new Map(stacks.map((stack) => [`compose/${stack.name}`, notAsked(stack)]))
  const source = reader.files
  if (source === null) return { files, parked: [], lacking: 'no_files' }
  const parked: Parked[] = []
  let cut = false
  const until = performance.now() + asked.deadlines.filesMs
  const isOver = () => performance.now() > until
  const work = async () => {
    const left = [...stacks]
    const worker = async () => {
      for (let stack = left.shift(); stack !== undefined && !isOver(); stack = left.shift())
        files.set(`compose/${stack.name}`, await readStackFiles(source, stack))
    }
    await Promise.all(Array.from({ length: WIDTH }, worker))
    if (!asked.around || isOver()) return
    const known = new Set([...files.values()].flatMap(({ reals }) => reals))
    const mounts = await reader.procFile('/proc/mounts', 1_000_000)
    const found = await findParked(source, { mounts, known, isOver })
    parked.push(...found.parked)
    cut = found.cut
  }
  const inTime = await orLate(work(), asked.deadlines.filesMs)
  return { files, parked, lacking: !inTime || isOver() ? 'late' : cut ? 'cut' : null }
}

async function orLate(work: Promise<void>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
    // Closing the connection ends it; whatever it says then is about nothing.
    work.catch(() => {})
  }
}

function stacksIn({ units, images }: Asked): Stack[] {
  const composed = units.flatMap((unit) => (unit.origin === null ? [] : [{ unit, origin: unit.origin }]))
  return [...Map.groupBy(composed, ({ origin }) => origin.project)].flatMap(([name, members]) => {
    const [first] = members
    if (first === undefined) return []
    const running = members.map(({ unit }): Running => {
      const [container] = unit.containers
      const tagged = images.get(container?.run.image ?? '')?.id ?? null
      return { service: unit.name, containers: unit.containers, image: unit.image, tagged }
    })
    // Containers of one stack may have been started at different times: whoever knows its files says where they are.
    const origin = members.find(({ origin }) => origin.files.length > 0)?.origin ?? first.origin
    return [{ name, origin, running }]
  })
}
