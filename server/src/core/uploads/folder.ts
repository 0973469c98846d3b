import type { StoredFile } from '../../db/tables.ts'
import { Refusal } from '../../errors.ts'
import { checkLinks } from './links.ts'
import { checkPath, quoted } from './paths.ts'

/** Refuses a folder whose entries cannot each be written to a place of its own below one directory. */
export function checkFolder(files: readonly StoredFile[]): void {
  for (const file of files) checkPath(file.p)
  checkPlaces(files)
  checkLinks(new Map(files.flatMap((file) => ('l' in file ? [[file.p, file.l] as const] : []))))
}

function checkPlaces(files: readonly StoredFile[]): void {
  // With the separator as the smallest character, what lies below a path follows it directly.
  const sorted = files.map((file) => file.p.replaceAll('/', '\0')).sort()
  let before: string | undefined
  for (const path of sorted) {
    if (path === before) throw clash(path, 'appears twice')
    if (before !== undefined && path.startsWith(`${before}\0`)) {
      throw clash(before, 'is a file or a link, but other entries lie below it')
    }
    before = path
  }
}

const clash = (path: string, fault: string) =>
  new Refusal('invalid_path', `The path ${quoted(path.replaceAll('\0', '/'))} ${fault}.`)

/** The contents a folder consists of, each once, with its size. The same content cannot have two sizes. */
export function contentsOf(files: readonly StoredFile[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const file of files) {
    if ('l' in file) continue
    const known = sizes.get(file.h)
    if (known !== undefined && known !== file.s) throw sizeClash(file.p, file.s, known)
    sizes.set(file.h, file.s)
  }
  return sizes
}

/** Refuses what is announced with another size than the stored content of that hash has. */
export function checkSizes(files: readonly StoredFile[], stored: ReadonlyMap<string, number>): void {
  for (const file of files) {
    if ('l' in file) continue
    const size = stored.get(file.h)
    if (size !== undefined && size !== file.s) throw sizeClash(file.p, file.s, size)
  }
}

const sizeClash = (path: string, announced: number, actual: number) =>
  new Refusal(
    'hash_mismatch',
    `${quoted(path)} is announced with ${announced} bytes, but that hash means ${actual} bytes.`,
  )
