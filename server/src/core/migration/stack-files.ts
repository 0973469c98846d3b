import { posix } from 'node:path'
import type { FileReason } from '@slipway/contract/migration-shape'
import type { FileReader } from '../../drivers/ssh/file-reader.ts'
import type { ComposeProject } from '../../source/compose/project.ts'
import { lookAround } from './files/look-around.ts'
import { type ReadInPlace, readInPlace } from './files/read-in-place.ts'
import type { ComposeOrigin } from './origin.ts'
import { type Difference, type Running, reconcile } from './reconcile.ts'

type StackFile = { path: string; found: boolean | null; reason: FileReason | null; matches: boolean | null }
export type StackFiles = {
  files: StackFile[]
  /** Where they really are. */
  reals: string[]
  differences: Difference[]
  /** Whom each service waits for, as the file says. */
  dependsOn: Map<string, { service: string; condition: string }[]>
}
export type Parked = { path: string; name: string; services: string[]; reason: FileReason | null }

/** A stack whose files are looked for. */
export type Stack = { name: string; origin: ComposeOrigin; running: Running[] }

export const notAsked = ({ origin }: Stack): StackFiles => ({
  files: origin.files.map((path) => ({ path, found: null, reason: 'not_asked', matches: null })),
  reals: [],
  differences: [],
  dependsOn: new Map(),
})

/** Reads the files of a stack where they lie, and compares what they say with what is there. */
export async function readStackFiles(files: FileReader, stack: Stack): Promise<StackFiles> {
  const { name, origin, running } = stack
  if (origin.files.length === 0) return notAsked(stack)
  const { files: asked, envFiles, workingDir: folder } = origin
  const read = await readInPlace(files, { files: asked, envFiles, folder, name })
  const differences = read.ok ? reconcile(read.project, running, unknownIn(read)) : []
  const matches = read.ok ? verdictOf(differences) : null
  const isThere = read.files.every(({ reason }) => reason === null)
  return {
    files: read.files.map(({ path, reason }, n) => ({
      path,
      found: reason === null,
      reason: reason ?? (read.ok || !isThere || n > 0 ? null : read.reason),
      matches: reason === null ? matches : null,
    })),
    reals: read.files.flatMap(({ path, real }) => [path, real ?? path]),
    differences,
    dependsOn: read.ok ? waitsIn(read.project) : new Map(),
  }
}

const verdictOf = (differences: Difference[]) =>
  differences.length === 0 ? true : differences.every(({ kind }) => kind === 'unclear') ? null : false

const unknownIn = (read: ReadInPlace & { ok: true }) =>
  read.warnings.filter(({ message }) => /^The variable \S+ is not set; /.test(message))

const waitsIn = ({ services }: ComposeProject) =>
  new Map(
    Object.entries(services).map(([name, { depends_on: waits = {} }]) => [
      name,
      Object.entries(waits).map(([service, { condition }]) => ({ service, condition })),
    ]),
  )

const MOST_PARKED = 200
const WIDTH = 24

/** Compose files in the usual places that no stack has been started from. */
export async function findParked(
  files: FileReader,
  around: { mounts: string | null; known: ReadonlySet<string>; isOver(): boolean },
): Promise<{ parked: Parked[]; cut: boolean }> {
  const { found, cut } = await lookAround(files, around.mounts, around.isOver)
  const fresh = found.filter((path) => !around.known.has(path))
  const parked: Parked[] = []
  for (let n = 0; n < Math.min(fresh.length, MOST_PARKED) && !around.isOver(); n += WIDTH) {
    const some = await Promise.all(fresh.slice(n, n + WIDTH).map((path) => readParked(files, path, around.known)))
    parked.push(...some.flatMap((one) => one ?? []))
  }
  return { parked, cut: cut || fresh.length > MOST_PARKED || around.isOver() }
}

async function readParked(files: FileReader, path: string, known: ReadonlySet<string>): Promise<Parked | null> {
  const folder = posix.dirname(path)
  const name =
    posix
      .basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9_-]/g, '') || 'project'
  const read = await readInPlace(files, { files: [path], envFiles: null, folder, name })
  if (read.files.some(({ real }) => real !== null && known.has(real))) return null
  return {
    path,
    name,
    services: read.ok ? Object.keys(read.project.services) : [],
    reason: read.ok ? null : read.reason,
  }
}
