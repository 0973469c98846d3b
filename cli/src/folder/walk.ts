import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inLanes } from './lanes.ts'
import { type RuleOptions, type Rules, rulesOf } from './rules.ts'

export type Content = {
  path: string
  size: number
  mode: number
  /** Differs when the content may differ. */
  stamp: string
  changedMs: number
  sha256: string
}
export type Linked = { path: string; link: string }
export type Walked = {
  contents: Content[]
  links: Linked[]
  /** How many files and folders the rules leave out. */
  ignored: number
  /** What cannot be sent, and why. */
  unsendable: { path: string; because: string }[]
}

const LANES = 16

/** Every file of a folder that is to be sent, in an order that does not depend on the disk. */
export async function walk(root: string, options: RuleOptions = {}): Promise<Walked> {
  const walked: Walked = { contents: [], links: [], ignored: 0, unsendable: [] }
  const folders: [string, Rules][] = [['', await rulesOf(root, options)]]
  for (const [folder, above] of folders) {
    const rules = await above.below(folder)
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    await inLanes(LANES, entries, async (entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.includes('\ufffd')) walked.unsendable.push({ path, because: 'its name is not UTF-8' })
      else if (rules.leavesOut(entry.isDirectory() ? `${path}/` : path)) walked.ignored++
      else if (entry.isDirectory()) folders.push([path, rules])
      else await take(walked, root, path, entry)
    })
  }
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
  walked.contents.sort(byPath)
  walked.links.sort(byPath)
  return walked
}

async function take({ contents, links, unsendable }: Walked, root: string, path: string, entry: Dirent): Promise<void> {
  const full = join(root, path)
  if (entry.isSymbolicLink()) links.push({ path, link: await readlink(full) })
  else if (entry.isFile()) {
    const stats = await lstat(full).catch(() => null)
    // What is gone by now was never there.
    if (stats?.isFile()) contents.push({ path, sha256: '', ...looked(stats) })
  } else unsendable.push({ path, because: `it is a ${kindOf(entry)}` })
}

/** As git has it: a file is a program or is none. Times are as fine as a disk has them, but for some hundred nanoseconds. */
export const looked = ({ size, mode, mtimeMs, ctimeMs, ino }: Stats) => ({
  size,
  mode: (mode & 0o100) === 0 ? 0o644 : 0o755,
  stamp: `${size}.${mtimeMs}.${ctimeMs}.${ino}`,
  changedMs: Math.max(mtimeMs, ctimeMs),
})

function kindOf(entry: Dirent): string {
  if (entry.isSocket()) return 'socket'
  return entry.isFIFO() ? 'pipe' : 'device'
}
