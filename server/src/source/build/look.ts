import { posix } from 'node:path'
import { Refusal } from '../../errors.ts'
import { below, cleanFolder, type ReadableTree } from './source-tree.ts'

/** What detection may ask of a source: names for nothing, contents one by one and only small ones. */
export type Look = {
  /** Where this look stands in the whole source; '' is its root. */
  folder: string
  /** Every file below, by its path from here. */
  files(): string[]
  has(path: string): boolean
  hasFolder(path: string): boolean
  /** The first of these that is there. */
  first(...paths: string[]): string | undefined
  /** null for what is not there, not text, or too large to be a manifest. */
  text(path: string): Promise<string | null>
  /** How a file of any size begins. */
  head(path: string): Promise<string>
  /** null for what is not there. What is wrong with one that is there is told to whoever deploys. */
  json<T>(path: string): Promise<T | null>
  yaml<T>(path: string): Promise<T | null>
  toml<T>(path: string): Promise<T | null>
  at(folder: string): Look
  /** All that is below, for who reads it in another way. */
  tree(): ReadableTree
}

const MOST_TEXT = 1024 * 1024
const HEAD = 4096
/** A source cannot make us read for ever; detection asks for a few dozen files of a large monorepo. */
const MOST_READS = 2000
const MOST_LINKS = 8

type Entry = { kind: 'file'; path: string; size: number } | { kind: 'link'; path: string; target: string }
type Ground = {
  entries: Map<string, Entry>
  folders: Set<string>
  texts: Map<string, Promise<string | null>>
  tree: ReadableTree
  signal: AbortSignal | undefined
}

export function lookInto(tree: ReadableTree, signal?: AbortSignal): Look {
  const entries = new Map<string, Entry>(tree.entries.map((entry) => [entry.path, entry]))
  const folders = new Set<string>([''])
  for (const path of entries.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return lookAt({ entries, folders, texts: new Map(), tree, signal }, '')
}

function lookAt(ground: Ground, folder: string): Look {
  const inside = (path: string) => posix.join(folder, path)
  const text = (path: string) => textOf(ground, inside(path))
  const parsed = async <T>(path: string, parse: (text: string) => T | Promise<T>): Promise<T | null> => {
    const found = await text(path)
    if (found === null) return null
    try {
      return await parse(found.replace(/^\uFEFF/, ''))
    } catch (error) {
      throw unreadable(inside(path), (error as Error).message)
    }
  }
  return {
    folder,
    files: () => {
      const prefix = folder === '' ? '' : `${folder}/`
      const all = [...ground.entries.keys()].filter((path) => path.startsWith(prefix))
      return all.map((path) => path.slice(prefix.length)).sort()
    },
    has: (path) => fileAt(ground, inside(path)) !== undefined,
    hasFolder: (path) => ground.folders.has(cleanFolder(inside(path))),
    first: (...paths) => paths.find((path) => fileAt(ground, inside(path)) !== undefined),
    text,
    head: (path) => headOf(ground, inside(path)),
    json: (path) => parsed(path, JSON.parse),
    yaml: (path) => parsed(path, async (found) => (await import('yaml')).parse(found, { merge: true })),
    toml: (path) => parsed(path, async (found) => (await import('smol-toml')).parse(found) as never),
    at: (sub) => lookAt(ground, cleanFolder(inside(sub))),
    tree: () => below(ground.tree, folder),
  }
}

/** The file of this path, through links: a Dockerfile may be one. */
function fileAt({ entries }: Ground, path: string): (Entry & { kind: 'file' }) | undefined {
  let wanted = path
  for (let hops = 0; hops < MOST_LINKS; hops++) {
    const entry = entries.get(wanted)
    if (entry === undefined || entry.kind === 'file') return entry
    wanted = posix.join(posix.dirname(wanted), entry.target)
  }
  return undefined
}

function textOf(ground: Ground, path: string): Promise<string | null> {
  const file = fileAt(ground, path)
  if (!file || file.size > MOST_TEXT) return Promise.resolve(null)
  const known = ground.texts.get(file.path)
  if (known) return known
  if (ground.texts.size >= MOST_READS) return Promise.resolve(null)
  ground.signal?.throwIfAborted()
  const reading = readText(ground.tree, file)
  ground.texts.set(file.path, reading)
  return reading
}

async function headOf(ground: Ground, path: string): Promise<string> {
  const file = fileAt(ground, path)
  if (!file) return ''
  let head = Buffer.alloc(0)
  for await (const chunk of await ground.tree.read(file)) {
    head = Buffer.concat([head, chunk as Buffer])
    if (head.length >= HEAD) break
  }
  return head.toString('utf8', 0, HEAD)
}

async function readText(tree: ReadableTree, file: Entry & { kind: 'file' }): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of await tree.read(file)) {
    size += (chunk as Buffer).length
    // A listing may promise less than the file holds.
    if (size > MOST_TEXT) return null
    chunks.push(chunk as Buffer)
  }
  const bytes = Buffer.concat(chunks)
  return bytes.includes(0) ? null : bytes.toString('utf8')
}

const unreadable = (path: string, why: string) =>
  new Refusal('nothing_to_build', `${path} cannot be read: ${why.split('\n')[0]?.replace(/[.:]?$/, '')}.`, {
    hint: `Correct ${path} and try again.`,
  })
