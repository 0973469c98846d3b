import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a proof showed last at its full size, and on what. */
export type Entry = {
  result: 'PROVED' | 'MISSED'
  figure: string
  date: string
  seconds: number
  /** Of the machine, when it began. */
  load: number
  sizes: Record<string, number | string>
  /** Digests of the proof's own files and of the product: what changes one of them makes the entry stale. */
  proof: string
  product: string
  /** What was checked out; entries from before it was kept have none. */
  commit?: string
}

export type Ledger = Record<string, Entry>

const FILE = join(import.meta.dirname, '..', 'ledger.json')

export function readLedger(): Ledger {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Read again just before: another proof may have ended meanwhile. */
export function keep(name: string, entry: Entry): void {
  const all = { ...readLedger(), [name]: entry }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
}
