import { posix } from 'node:path'
import type { FileReader } from '../../../drivers/ssh/file-reader.ts'
import { COMPOSE_FILES } from '../../../source/compose/file-names.ts'
import { reasonIn } from './look-at.ts'

const STARTS = ['/opt', '/srv', '/root', '/home']
const MOST = { folders: 2000, entries: 20_000, inOne: 1000, depth: 3 }
const WIDTH = 64
/** What tools and engines fill, and nobody keeps a stack in. */
const SKIPPED = new Set(['node_modules', 'vendor', 'overlay2', 'volumes', 'containers', 'snapshots', 'lost+found'])
/** Looking there mounts things, or waits for a machine that is gone. */
const REMOTE = /^(autofs|nfs\d?|cifs|smb\d?|fuse(\..*)?|9p|ceph|glusterfs|afs)$/

/** Compose files below the usual folders. Counted: neither a deep tree nor a folder of a million files holds it up. */
export async function lookAround(
  files: FileReader,
  mounts: string | null,
  isOver: () => boolean,
): Promise<{ found: string[]; cut: boolean }> {
  const remote = remoteMounts(mounts ?? '')
  const found: string[] = []
  const counted = { folders: 0, entries: 0, cut: false }
  const isFull = () => counted.folders >= MOST.folders || counted.entries >= MOST.entries || isOver()
  let level = STARTS.map((path) => ({ path, depth: path === '/home' ? -1 : 0 }))
  while (level.length > 0) {
    const next: typeof level = []
    const look = async ({ path, depth }: (typeof level)[number]) => {
      counted.folders++
      const { entries, cut } = await namesIn(files, path)
      counted.entries += entries.length
      counted.cut ||= cut
      for (const { name, kind } of entries) {
        const inner = posix.join(path, name)
        const isStack = (kind === 'file' || kind === 'link') && COMPOSE_FILES.includes(name) && depth >= 0
        if (isStack) found.push(inner)
        if (kind !== 'folder' || depth >= MOST.depth || name.startsWith('.') || SKIPPED.has(name)) continue
        if (!remote.some((point) => inner === point || inner.startsWith(`${point}/`)))
          next.push({ path: inner, depth: depth + 1 })
      }
    }
    for (let n = 0; n < level.length; n += WIDTH) {
      if (isFull()) return { found: found.sort(), cut: true }
      await Promise.all(level.slice(n, n + WIDTH).map(look))
    }
    level = next
  }
  return { found: found.sort(), cut: counted.cut }
}

/** One that may not be looked into has nothing for us. */
async function namesIn(files: FileReader, path: string): ReturnType<FileReader['list']> {
  try {
    return await files.list(path, MOST.inOne)
  } catch (error) {
    reasonIn(error)
    return { entries: [], cut: false }
  }
}

/** Of /proc/mounts: `device point type options`, with blanks written as `\040`. */
function remoteMounts(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, point = '', type = ''] = line.split(' ')
    return REMOTE.test(type) ? [point.replaceAll('\\040', ' ')] : []
  })
}
