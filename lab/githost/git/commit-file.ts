import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { Repository } from '../model.ts'
import { exclusively } from './exclusively.ts'
import { git, gitBytes, readHead, ZERO } from './run.ts'

export type Change = {
  branch: string
  path: string
  /** Null removes the file. */
  content: Buffer | null
  message: string
  author: { name: string; email: string }
}

/**
 * One commit with one changed file. Writes git's objects itself: a burst of thousands of pushes must not start thousands
 * of programs.
 */
export const commitFile = (repository: Repository, change: Change) =>
  exclusively(repository, () => commitNext(repository, change))

async function commitNext(repository: Repository, change: Change): Promise<{ before: string; after: string }> {
  const ref = `refs/heads/${change.branch}`
  const before = (await readHead(repository, ref)) ?? null
  const blob = change.content === null ? null : await writeObject(repository, 'blob', change.content)
  const tree = await withFile(repository, before && (await treeOf(repository, before)), change.path.split('/'), blob)
  const who = `${change.author.name} <${change.author.email}> ${Math.floor(Date.now() / 1000)} +0000`
  const parent = before ? `parent ${before}\n` : ''
  const text = `tree ${tree}\n${parent}author ${who}\ncommitter ${who}\n\n${change.message}\n`
  const after = await writeObject(repository, 'commit', Buffer.from(text))
  treesOfCommits.set(after, tree)
  const file = join(repository.dir, ref)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.lock`, `${after}\n`)
  await rename(`${file}.lock`, file)
  return { before: before ?? ZERO, after }
}

type Entry = { mode: string; name: string; id: string }
const MOST_KEPT = 20_000
// By content: what they say holds for every repository.
const treesOfCommits = new Map<string, string>()
const entriesOfTrees = new Map<string, Entry[]>()

async function treeOf(repository: Repository, commit: string): Promise<string> {
  if (treesOfCommits.size > MOST_KEPT) treesOfCommits.clear()
  return treesOfCommits.get(commit) ?? (await git(repository, 'rev-parse', `${commit}^{tree}`)).trim()
}

/** The tree with one file set or removed; only the trees on the way to it are read. */
async function withFile(repository: Repository, tree: string | null, path: string[], blob: string | null) {
  const known = tree === null ? [] : await entriesOf(repository, tree)
  const [name = '', ...rest] = path
  const old = known.find((one) => one.name === name)
  const below = old?.mode === '40000' ? old.id : null
  const id: string | null = rest.length > 0 ? await withFile(repository, below, rest, blob) : blob
  const mode = rest.length > 0 ? '40000' : '100644'
  const next = [...known.filter((one) => one !== old), ...(id === null ? [] : [{ mode, name, id }])]
  // Git sorts a folder as if its name ended in a slash.
  const order = (one: Entry) => Buffer.from(one.mode === '40000' ? `${one.name}/` : one.name)
  next.sort((a, b) => Buffer.compare(order(a), order(b)))
  const bytes = next.flatMap((one) => [Buffer.from(`${one.mode} ${one.name}\0`), Buffer.from(one.id, 'hex')])
  const written = await writeObject(repository, 'tree', Buffer.concat(bytes))
  if (entriesOfTrees.size > MOST_KEPT) entriesOfTrees.clear()
  entriesOfTrees.set(written, next)
  return written
}

async function entriesOf(repository: Repository, tree: string): Promise<Entry[]> {
  const known = entriesOfTrees.get(tree)
  if (known) return known
  const bytes = await gitBytes(repository, 'cat-file', 'tree', tree)
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at)
    const end = bytes.indexOf(0, space)
    const mode = bytes.toString('latin1', at, space)
    entries.push({ mode, name: bytes.toString('utf8', space + 1, end), id: bytes.toString('hex', end + 1, end + 21) })
    at = end + 21
  }
  return entries
}

const compress = promisify(deflate)

async function writeObject({ dir }: Repository, kind: string, content: Buffer): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content])
  const id = createHash('sha1').update(bytes).digest('hex')
  const file = join(dir, 'objects', id.slice(0, 2), id.slice(2))
  if (existsSync(file)) return id
  await mkdir(dirname(file), { recursive: true })
  const part = `${file}.${process.hrtime.bigint()}`
  await writeFile(part, await compress(bytes, { level: 1 }), { mode: 0o444 })
  await rename(part, file)
  return id
}
