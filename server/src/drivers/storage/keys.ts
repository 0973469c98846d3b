import { randomBytes } from 'node:crypto'
import { storageFailure } from './storage.ts'

const MOST_BYTES = 900
const MOST_NAME_BYTES = 250

/** A file that is not whole yet; such names are never keys, and never listed. */
const unfinished = /^\.slipway-[0-9a-f]{24}\.part$/

export const isUnfinished = (name: string) => unfinished.test(name)

/** Beside the object it will become, so that renaming stays within one file system. */
export function unfinishedBeside(key: string): string {
  return `${folderOf(key)}.slipway-${randomBytes(12).toString('hex')}.part`
}

/** The key's folder with its slash; empty at the top. */
export const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1)

export function isKey(key: string): boolean {
  const parts = key.split('/')
  return (
    Buffer.byteLength(key) <= MOST_BYTES &&
    parts.every((part) => isName(part) && Buffer.byteLength(part) <= MOST_NAME_BYTES && !isUnfinished(part))
  )
}

export function checkKey(key: string): void {
  if (!isKey(key)) throw storageFailure('bad_key', `${JSON.stringify(key.slice(0, 200))} cannot be a key.`)
}

/** What a listing starts with: a key, cut off anywhere. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '' && !isKey(`${prefix}x`)) {
    throw storageFailure('bad_key', `${JSON.stringify(prefix.slice(0, 200))} cannot be the beginning of keys.`)
  }
}

/** A destination's prefix as folder names; `/backups//daily/` is the same as `backups/daily`. */
export function prefixParts(prefix: string): string[] {
  const parts = prefix.split('/').filter((part) => part !== '' && part !== '.')
  if (!parts.every(isName)) {
    throw storageFailure('bad_place', `The path prefix ${JSON.stringify(prefix.slice(0, 200))} cannot be used.`)
  }
  return parts
}

function isName(part: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return part !== '' && part !== '.' && part !== '..' && !/[\0-\x1f\x7f]/.test(part) && part.isWellFormed()
}

/** The order of the UTF-8 bytes, which is the one S3 lists by; JavaScript's own differs above U+FFFF. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Surrogates stand for what comes after everything else. */
const rank = (unit: number) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
