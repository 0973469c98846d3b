import { type Dirent, lstatSync, type Stats } from 'node:fs'
import { open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { nameFault, type RuleOptions } from '@slipway/contract/folder-rules'
import { inLanes } from './lanes.ts'
import { hasModes, sentName, sentTarget } from './portable.ts'
import { type Rules, rulesOf } from './rules.ts'

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
export async function walk(
  root: string,
  options: RuleOptions = {},
  platform: NodeJS.Platform = process.platform,
): Promise<Walked> {
  const walked: Walked = { contents: [], links: [], ignored: 0, unsendable: [] }
  const folders: [string, Rules][] = [['', rulesOf(root, options)]]
  for (const [folder, above] of folders) {
    const rules = await above.below(folder)
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    await inLanes(LANES, entries, async (entry) => {
      const name = sentName(entry.name, platform)
      const path = folder === '' ? name : `${folder}/${name}`
      const because = nameFault(name)
      if (because !== null) walked.unsendable.push({ path, because })
      else if (rules.leavesOut(entry.isDirectory() ? `${path}/` : path)) walked.ignored++
      else if (entry.isDirectory()) folders.push([path, rules])
      else await take(walked, join(root, path), path, entry, platform)
    })
  }
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
  walked.contents.sort(byPath)
  walked.links.sort(byPath)
  return walked
}

async function take(
  { contents, links, unsendable }: Walked,
  full: string,
  path: string,
  entry: Dirent,
  platform: NodeJS.Platform,
): Promise<void> {
  if (entry.isSymbolicLink()) links.push({ path, link: sentTarget(await readlink(full), platform) })
  else if (entry.isFile()) {
    const stats = statsOf(full)
    // What is gone by now was never there.
    if (!stats?.isFile()) return
    const seen = looked(stats)
    const mode = hasModes(platform) ? seen.mode : (await isScript(full)) ? 0o755 : 0o644
    contents.push({ path, sha256: '', ...seen, mode })
  } else unsendable.push({ path, because: `it is a ${kindOf(entry)}` })
}

/** At once: handing tens of thousands of such calls to other threads takes many times the processor time of the calls. */
export function statsOf(full: string): Stats | null {
  try {
    return lstatSync(full)
  } catch {
    return null
  }
}

/** Whether it begins with what it is to be run by. */
async function isScript(full: string): Promise<boolean> {
  const handle = await open(full).catch(() => null)
  if (handle === null) return false
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.toString('latin1') === '#!'
  } finally {
    await handle.close()
  }
}

/** As git has it: a file is a program or is none. Times are as fine as a disk has them, but for some hundred nanoseconds. */
export const looked = ({ size, mode, mtimeMs, ctimeMs, ino }: Stats) => ({
  size,
  mode: (mode & 0o100) === 0 ? 0o644 : 0o755,
  // Joined, it is one piece of text; a template would keep each of its parts.
  stamp: [size, mtimeMs, ctimeMs, ino].join('.'),
  changedMs: Math.max(mtimeMs, ctimeMs),
})

function kindOf(entry: Dirent): string {
  if (entry.isSocket()) return 'socket'
  return entry.isFIFO() ? 'pipe' : 'device'
}
