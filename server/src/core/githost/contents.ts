import type { GithostContent, GithostFile } from '@slipway/contract/githost-shape'
import type { HostSession, HostTreeEntry } from '../../drivers/githost/githost.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { RemoteListing } from '../../source/build/remote-tree.ts'
import type { Caller } from '../access/caller.ts'
import { type Asked, requireBranch, requireRepository, type Seen } from './find.ts'
import { rethrow } from './refuse.ts'
import type { GithostParts } from './sources.ts'
import { read } from './use.ts'

const MOST_ENTRIES = 5000
const MOST_BYTES = 1_000_000
const TYPES: Record<string, GithostFile['type']> = { '040000': 'dir', '120000': 'symlink', '160000': 'submodule' }
const typeOf = ({ mode }: HostTreeEntry) => TYPES[mode] ?? 'file'

type At = Asked & { branch?: string | undefined }

export async function listFiles(parts: GithostParts, caller: Caller, asked: At & { path: string }) {
  const path = plainPath('path', asked.path)
  const seen = await requireRepository(parts, caller, asked)
  const branch = requireBranch(asked.branch ?? seen.row.defaultBranch)
  return read(parts, whose(caller, seen, asked), async (host) => {
    const commitSha = await host.head(seen.at, branch)
    const found = await locate(host, seen, commitSha, path)
    if (found.entry && typeOf(found.entry) !== 'dir') {
      throw new Refusal('invalid_path', `${path} is no folder.`, {
        field: 'path',
        hint: 'Ask for it with …/file?file=.',
      })
    }
    const { entries, truncated } = await host.tree(seen.at, found.sha, false)
    const data = entries.map((entry) => shapeOf(path, entry)).sort(foldersFirst)
    return {
      path,
      branch,
      commitSha,
      data: data.slice(0, MOST_ENTRIES),
      truncated: truncated || data.length > MOST_ENTRIES,
    }
  })
}

/** Content is data, whatever it looks like: it leaves as JSON and never as a page. */
export async function readFile(
  parts: GithostParts,
  caller: Caller,
  asked: At & { file: string },
): Promise<GithostContent> {
  const path = plainPath('file', asked.file)
  const seen = await requireRepository(parts, caller, asked)
  const branch = requireBranch(asked.branch ?? seen.row.defaultBranch)
  return read(parts, whose(caller, seen, asked), async (host) => {
    const { entry, sha } = await locate(host, seen, await host.head(seen.at, branch), path)
    if (!entry || typeOf(entry) === 'dir') {
      throw new Refusal('invalid_path', `${path || '/'} is a folder.`, {
        field: 'file',
        hint: 'List it with …/files?path=.',
      })
    }
    if (typeOf(entry) === 'submodule') throw notFound('file')
    if ((entry.size ?? 0) > MOST_BYTES) throw tooLarge(path)
    const bytes = await host.blob(seen.at, sha)
    if (bytes.length > MOST_BYTES) throw tooLarge(path)
    return { path, branch, sha, size: bytes.length, ...decoded(path, bytes) }
  })
}

/** All paths at once and contents one by one, for looking at a source without cloning it. */
export async function openRemoteTree(parts: GithostParts, caller: Caller, asked: At): Promise<RemoteListing> {
  const seen = await requireRepository(parts, caller, asked)
  const branch = requireBranch(asked.branch ?? seen.row.defaultBranch)
  return read(parts, whose(caller, seen, asked), async (host) => {
    const { entries, truncated } = await host.tree(seen.at, await host.head(seen.at, branch), true)
    const files = new Map(entries.filter((entry) => typeOf(entry) === 'file').map((entry) => [entry.path, entry]))
    return {
      files: [...files.values()].map(({ path, size }) => ({ path, size: size ?? 0 })),
      read: (path) => host.blob(seen.at, files.get(path)?.sha ?? '').catch(rethrow),
      warnings: truncated
        ? ['The repository has more files than the git host lists; only the first were looked at.']
        : [],
    }
  })
}

const whose = ({ orgId }: Caller, { at }: Seen, { signal }: Asked) => ({ orgId, owner: at.owner, signal })

/** Folder by folder: a listing by path leaves out what is past a thousand, and calls submodules files. */
async function locate(host: HostSession, { at }: Seen, root: string, path: string) {
  let [sha, entry]: [string, HostTreeEntry | undefined] = [root, undefined]
  for (const name of path.split('/').filter(Boolean)) {
    if (entry && typeOf(entry) !== 'dir') throw notFound('file')
    const { entries } = await host.tree(at, sha, false)
    entry = entries.find((one) => one.path === name)
    if (!entry) throw notFound('file')
    sha = entry.sha
  }
  return { sha, entry }
}

function plainPath(field: 'path' | 'file', path: string): string {
  const names = path.replace(/\/$/, '').split('/')
  const isPlain = names.every((name) => /^[^\p{Cc}\\]+$/u.test(name) && name !== '.' && name !== '..')
  if (path === '' || path === '/' || isPlain) return path.replace(/\/$/, '')
  throw new Refusal('invalid_path', `${field}: must be relative, with single slashes and without . or ..`, {
    field,
    hint: 'Name it as it is called in the repository, such as src/main.ts.',
  })
}

const shapeOf = (folder: string, entry: HostTreeEntry): GithostFile => ({
  name: entry.path,
  path: folder === '' ? entry.path : `${folder}/${entry.path}`,
  type: typeOf(entry),
  size: entry.size,
  sha: entry.sha,
})

const foldersFirst = (a: GithostFile, b: GithostFile) =>
  Number(b.type === 'dir') - Number(a.type === 'dir') || (a.name < b.name ? -1 : 1)

function decoded(path: string, bytes: Buffer): Pick<GithostContent, 'encoding' | 'content' | 'parseError'> {
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes) || text.includes('\0'))
    return { encoding: 'base64', content: bytes.toString('base64') }
  if (!/\.json$/i.test(path)) return { encoding: 'utf8', content: text }
  try {
    return { encoding: 'json', content: JSON.parse(text) as unknown }
  } catch (error) {
    return { encoding: 'utf8', content: text, parseError: (error as Error).message.slice(0, 200) }
  }
}

const tooLarge = (path: string) =>
  new Refusal('too_large', `${path} is larger than 1 MB.`, { hint: 'Clone the repository to read it.' })
