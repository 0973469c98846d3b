import { posix } from 'node:path'
import { Readable } from 'node:stream'
import type { FileReader } from '../../../drivers/ssh/file-reader.ts'
import { Refusal } from '../../../errors.ts'
import type { ReadableTree } from '../../../source/build/source-tree.ts'
import type { Warning } from '../../../source/compose/faults.ts'
import { MOST_FILE_BYTES } from '../../../source/compose/limits.ts'
import type { ComposeProject } from '../../../source/compose/project.ts'
import { readCompose } from '../../../source/compose/read.ts'
import { lookAt, type NotRead, reasonIn } from './look-at.ts'

export type Asked = { files: string[]; envFiles: string[] | null; folder: string | null; name: string }
type Outcome =
  | { ok: true; project: ComposeProject; warnings: Warning[] }
  /** `invalid`: a file cannot be read as what it is. Its words are left out: they quote what it contains. */
  | { ok: false; reason: NotRead | 'invalid' | 'needs_variable' }
/** `files`: of each that was asked for, where it really is, or why it is not read. */
export type ReadInPlace = Outcome & { files: { path: string; real: string | null; reason: NotRead | null }[] }

/** It asks by missing: what it misses is looked for, and it reads once more. */
const MOST_ROUNDS = 12
const MOST_FILES = 60

/** A compose file where it lies, read as compose reads it: the tree is the machine, of which only what is asked for is brought. */
export async function readInPlace(files: FileReader, asked: Asked): Promise<ReadInPlace> {
  const folder = asked.folder ?? posix.dirname(asked.files[0] ?? '/')
  const brought = bringer(files, folder)
  const usual = asked.envFiles ?? [posix.join(folder, '.env')]
  const bringing = asked.files.map(async (path) => {
    const reason = await brought.bring(path, 'compose')
    return { path, reason, real: brought.realOf(path) }
  })
  const [found] = await Promise.all([Promise.all(bringing), ...usual.map((path) => brought.bring(path, 'env'))])
  const lacking = found.find(({ reason }) => reason !== null)
  if (lacking) return { ok: false, reason: lacking.reason ?? 'failed', files: found }
  for (let round = 0; ; round++) {
    const missed = new Set<string>()
    const result = await read(brought.tree(missed), asked, folder)
    if (round >= MOST_ROUNDS || !(await brought.more(missed))) return { ...result, files: found }
  }
}

async function read(tree: ReadableTree, asked: Asked, folder: string): Promise<Outcome> {
  try {
    const { project, warnings } = await readCompose(tree, {
      files: asked.files,
      folder: folder.slice(1) || '.',
      ...(asked.envFiles !== null && { envFiles: asked.envFiles.map((path) => path.slice(1)) }),
      // All that is known of the shell that started it.
      environment: { PWD: folder },
      projectName: asked.name,
      profiles: ['*'],
    })
    return { ok: true, project, warnings }
  } catch (error) {
    if (!(error instanceof Refusal)) return { ok: false, reason: reasonIn(error) }
    const needs = /: the variable \w+ is required but not set/.test(error.message)
    const reason = needs ? 'needs_variable' : error.code === 'too_large' ? 'too_large' : 'invalid'
    return { ok: false, reason }
  }
}

type Entry = Extract<ReadableTree['entries'][number], { kind: 'file' }>

/** Files of the machine that may be read, each looked at and read once. */
function bringer(files: FileReader, folder: string) {
  const entries = new Map<string, Entry & { real: string }>()
  const contents = new Map<string, Promise<Buffer>>()
  const looked = new Map<string, NotRead | null>()

  async function bring(path: string, as: 'compose' | 'env'): Promise<NotRead | null> {
    const known = looked.get(path)
    if (known !== undefined || looked.size >= MOST_FILES) return known ?? 'failed'
    looked.set(path, 'failed')
    const found = await lookAt(files, path, as, folder)
    looked.set(path, found.ok ? null : found.reason)
    if (found.ok) entries.set(path.slice(1), { kind: 'file', path: path.slice(1), size: found.size, real: found.real })
    return found.ok ? null : found.reason
  }

  const content = (path: string) => {
    const whole = contents.get(path) ?? files.read(entries.get(path)?.real ?? '', MOST_FILE_BYTES)
    contents.set(path, whole)
    return whole
  }

  return {
    bring,
    realOf: (path: string) => entries.get(path.slice(1))?.real ?? null,
    tree: (missed: Set<string>): ReadableTree => ({
      entries: [...entries.values()],
      read: async ({ path }) => Readable.from([await content(path)]),
      machine: { missed: (path) => missed.add(path) },
    }),
    /** Whether anything of it is there that was not before. */
    async more(missed: Set<string>): Promise<boolean> {
      const paths = [...missed].map((path) => `/${path}`).filter((path) => !looked.has(path))
      const found = await Promise.all(paths.map((path) => bring(path, /\.ya?ml$/i.test(path) ? 'compose' : 'env')))
      return found.includes(null)
    },
  }
}
