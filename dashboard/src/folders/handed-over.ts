import type { Entry } from './entry.ts'

let held: Entry[] | null = null

/** What was dropped on another page than the one that sends it. Files cannot be part of an address. */
export function handOver(entries: Entry[]): void {
  held = entries
}

/** Given once: going back and forth sends nothing again by itself. */
export function takeHanded(): Entry[] | null {
  const given = held
  held = null
  return given
}
