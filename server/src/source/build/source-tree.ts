import type { Readable } from 'node:stream'

type TreeLink = { kind: 'link'; path: string; target: string }
type AnyFile = { kind: 'file'; path: string; size: number }

/** Files that can be read one by one, each as it was listed. Detection needs no more: a git host's own listing will do. */
export type ReadableTree<File extends AnyFile = AnyFile> = {
  entries: (File | TreeLink)[]
  read(file: File): Promise<Readable>
  /** Set where the tree is a whole machine, seen from `/`: absolute paths are its own. Told what is asked for and not among its entries. */
  machine?: { missed(path: string): void }
}

/** Source, wherever it comes from: an upload, a git commit. Builds read nothing else. */
export type SourceTree = ReadableTree<AnyFile & { mode: number; sha256: string }>

/** The whole of a file that is known to be small enough. */
export async function wholeOf<File extends AnyFile>(tree: ReadableTree<File>, file: File): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of await tree.read(file)) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** The file of exactly this path. */
export const fileAt = <File extends AnyFile>(tree: ReadableTree<File>, path: string): File | undefined =>
  tree.entries.find((entry): entry is File => entry.kind === 'file' && entry.path === path)

/** The part of a tree below a folder, as a tree of its own. */
export function below<File extends AnyFile>(tree: ReadableTree<File>, folder: string | undefined): ReadableTree<File> {
  const clean = cleanFolder(folder)
  if (clean === '') return tree
  const prefix = `${clean}/`
  const original = new Map<File, File>()
  const entries = tree.entries
    .filter((entry) => entry.path.startsWith(prefix))
    .map((entry) => {
      const moved = { ...entry, path: entry.path.slice(prefix.length) }
      if (entry.kind === 'file' && moved.kind === 'file') original.set(moved as File, entry as File)
      return moved
    })
  return { entries, read: (file) => tree.read(original.get(file) ?? file) }
}

/** `./apps/web/` and `apps/web` are the same folder; the root is ''. */
export function cleanFolder(folder: string | undefined): string {
  const names = (folder ?? '').split('/').filter((name) => name !== '' && name !== '.')
  return names.join('/')
}
