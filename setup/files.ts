import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'

/** The text of a file, or null where there is none. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Written whole or not at all, whenever the power goes. */
export function writeWhole(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  const part = `${path}.part`
  rmSync(part, { force: true })
  const file = openSync(part, 'wx', mode)
  try {
    fchmodSync(file, mode) // whatever the umask is of who runs this
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, path)
}

/** A link that leads from one moment to the next to another place. */
export function pointLink(link: string, to: string): void {
  mkdirSync(dirname(link), { recursive: true })
  rmSync(`${link}.part`, { force: true })
  symlinkSync(to, `${link}.part`)
  renameSync(`${link}.part`, link)
}

/** The last part of where a link leads, or null. */
export function linkedName(link: string): string | null {
  try {
    return basename(readlinkSync(link))
  } catch {
    return null
  }
}

/** `NAME=value` lines, as systemd reads them. */
export function readSettings(path: string): Record<string, string> {
  const lines = (readText(path) ?? '').split('\n').filter((line) => /^[A-Z_]+=/.test(line))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

export const settingsText = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
