import type { Readable } from 'node:stream'
import { Refusal } from '../../errors.ts'

type TreeFile = { kind: 'file'; path: string; size: number; mode: number; sha256: string }
type TreeLink = { kind: 'link'; path: string; target: string }

/** Source, wherever it comes from: an upload, a git commit. Detection and builds read nothing else. */
export type SourceTree = {
  entries: (TreeFile | TreeLink)[]
  read(file: TreeFile): Promise<Readable>
}

const MOST_JSON = 1024 * 1024

/** A JSON file of the source. What is wrong with it is told to whoever deploys. */
export async function readJson<T>(tree: SourceTree, path: string): Promise<T> {
  const file = tree.entries.find((entry): entry is TreeFile => entry.path === path && entry.kind === 'file')
  if (!file || file.size > MOST_JSON) throw unreadable(path, file ? 'it is too large' : 'it is not a file')
  const chunks: Buffer[] = []
  for await (const chunk of await tree.read(file)) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T
  } catch (error) {
    throw unreadable(path, (error as Error).message)
  }
}

const unreadable = (path: string, why: string) =>
  new Refusal('nothing_to_build', `${path} cannot be read: ${why}.`, { hint: `Correct ${path} and deploy again.` })

/** The part of a tree below a folder, as a tree of its own. */
export function below(tree: SourceTree, folder: string | undefined): SourceTree {
  const clean = (folder ?? '').replace(/^\.?\/?/, '').replace(/\/+$/, '')
  if (clean === '' || clean === '.') return tree
  const prefix = `${clean}/`
  const original = new Map<TreeFile, TreeFile>()
  const entries = tree.entries
    .filter((entry) => entry.path.startsWith(prefix))
    .map((entry) => {
      const moved = { ...entry, path: entry.path.slice(prefix.length) }
      if (entry.kind === 'file' && moved.kind === 'file') original.set(moved, entry)
      return moved
    })
  return { entries, read: (file) => tree.read(original.get(file) ?? file) }
}
