import { EXIT_MEANINGS } from '../failure.ts'
import type { Entry } from '../table/entry.ts'
import { GLOBAL } from '../table/global.ts'
import { table } from '../table/table.ts'

/** The whole table as data, for programs that call this one. */
export function describe(version: string) {
  const commands = Object.entries<Entry>(table).map(([name, { words = [], flags = {}, ...entry }]) => ({
    name,
    ...entry,
    words,
    flags,
  }))
  return { version, global: GLOBAL, commands, exitCodes: EXIT_MEANINGS }
}
