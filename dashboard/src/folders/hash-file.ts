import { Sha256 } from './sha256.ts'

export type Hashed = { sha256: string; size: number; mode: number }

/** Above this a file is read in pieces. The browser's own way wants all of it at once. */
const WHOLE_BYTES = 16 * 1024 * 1024

/** The sum of a file. The browser's own is there only on https and localhost; a fresh install is often neither. */
export async function hashFile(file: File): Promise<Hashed> {
  if (file.size > WHOLE_BYTES) return inPieces(file)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const sha256 = crypto.subtle ? hex(await crypto.subtle.digest('SHA-256', bytes)) : new Sha256().add(bytes).hex()
  return { sha256, size: bytes.length, mode: modeOf(bytes) }
}

async function inPieces(file: File): Promise<Hashed> {
  const sum = new Sha256()
  const reader = file.stream().getReader()
  let [size, mode] = [0, 0o644]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { sha256: sum.hex(), size, mode }
    if (size === 0) mode = modeOf(value)
    size += value.length
    sum.add(value)
  }
}

/** A browser does not tell which files are programs: those that say what they are run by, and those that Linux loads. */
function modeOf([first, second, third]: Uint8Array): number {
  const isScript = first === 0x23 && second === 0x21
  const isElf = first === 0x7f && second === 0x45 && third === 0x4c
  return isScript || isElf ? 0o755 : 0o644
}

const hex = (digest: ArrayBuffer) =>
  Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
