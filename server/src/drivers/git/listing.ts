import { once } from 'node:events'
import { gitEnvironment } from './environment.ts'
import { gitFailure } from './git.ts'
import { endGit, startGit, tooLarge } from './run.ts'
import type { Settings } from './settings.ts'

/** An object of a commit as git lists it. */
export type Listed = { kind: 'file' | 'link' | 'submodule'; path: string; id: string; size: number; mode: number }

export type Listing = {
  entries: Listed[]
  /** Paths that no build directory could hold, with the reason. */
  odd: { path: string; fault: string }[]
}

/** Every entry of a commit. It stops at the limits while reading: a small repository can list billions of entries. */
export async function listCommit(
  { environment, maxFiles, maxTreeBytes }: Settings,
  directory: string,
  commitSha: string,
  signal: AbortSignal,
): Promise<Listing> {
  const child = startGit(
    [`--git-dir=${directory}`, 'ls-tree', '-r', '-z', '--long', '--full-tree', commitSha],
    gitEnvironment(environment),
  )
  const ended = once(child, 'close')
  ended.catch(() => {})
  const stop = () => endGit(child)
  signal.addEventListener('abort', stop)
  child.stdin.on('error', () => {}).end()
  child.stderr.resume()
  const listing: Listing = { entries: [], odd: [] }
  let bytes = 0
  try {
    for await (const line of nulLines(child.stdout)) {
      const listed = parse(line)
      const fault = pathFault(listed.path)
      if (fault) listing.odd.push({ path: listed.path, fault })
      else listing.entries.push(listed)
      bytes += listed.size
      if (bytes > maxTreeBytes) throw tooLarge(maxTreeBytes)
      if (listing.entries.length + listing.odd.length > maxFiles) {
        throw gitFailure('git_too_large', `The repository has more than ${maxFiles} files.`)
      }
    }
    const [code] = await ended
    signal.throwIfAborted()
    if (code !== 0) throw gitFailure('git_commit_missing', `The commit ${commitSha} was not fetched.`)
    refuseOverlaps(listing.entries)
    return listing
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

async function* nulLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    let buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = buffer.indexOf(0); end >= 0; end = buffer.indexOf(0)) {
      yield buffer.subarray(0, end)
      buffer = buffer.subarray(end + 1)
    }
    rest = buffer
  }
}

const KINDS: Record<string, Listed['kind']> = { '120000': 'link', '160000': 'submodule' }

/** `100644 blob <id>     12\t<path>`; a submodule has `-` for its size. */
function parse(line: Buffer): Listed {
  const tab = line.indexOf(9)
  const [mode = '', , id = '', size = ''] = line.subarray(0, tab).toString('latin1').split(/ +/)
  const path = line.subarray(tab + 1).toString('utf8')
  return { kind: KINDS[mode] ?? 'file', path, id, size: Number(size) || 0, mode: mode === '100755' ? 0o755 : 0o644 }
}

/** git's own programs never make such names; others can. The limits are those of uploaded folders. */
function pathFault(path: string): string | undefined {
  if (path.includes('\ufffd')) return 'is not valid UTF-8'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x1f\x7f]/.test(path)) return 'contains a control character'
  if (path.includes('\\')) return 'contains a backslash'
  const names = path.split('/')
  if (Buffer.byteLength(path) > 1024 || names.length > 100) return 'is too long or too deep'
  if (names.some((name) => Buffer.byteLength(name) > 255)) return 'has a name that is too long'
  return names.some((name) => name === '' || name === '.' || name === '..' || /^\.git$/i.test(name))
    ? 'has a name that leads elsewhere'
    : undefined
}

/** A path twice, or something below a file or link, would be written through the link. Only a forged tree has it. */
function refuseOverlaps(entries: Listed[]): void {
  const sorted = entries.map(({ path }) => path.replaceAll('/', '\0')).sort()
  for (const [index, path] of sorted.entries()) {
    const before = sorted[index - 1]
    if (before === undefined || (path !== before && !path.startsWith(`${before}\0`))) continue
    throw gitFailure('git_failed', `The path ${JSON.stringify(path.replaceAll('\0', '/'))} lies inside a file.`)
  }
}
