import { readFileSync, rmSync } from 'node:fs'
import { writeWhole } from '../files.ts'
import { PATHS } from '../paths.ts'

type What = 'backup' | 'drill'

/** What is told of one that went well: which file, and whatever else there is to know of it. */
type Facts = Record<string, string | number | boolean | null>

/** How one ended. The server tells `at`, `ok` and `lastSuccessAt`, and keeps the rest to itself: it names files and machines. */
export type Note = {
  at: string
  ok: boolean
  lastSuccessAt: string | null
  seconds: number
  reason: string | null
  facts: Facts
}

export type Notes = { backup: Note | null; drill: Note | null }

/** Does it, and writes down how it ended, whichever way. What is thrown is thrown on. */
export async function noted<Done extends Facts>(what: What, act: () => Promise<Done>, file: string = PATHS.notes) {
  const began = performance.now()
  const note = (ok: boolean, reason: string | null, facts: Facts) =>
    write(file, what, { ok, reason, facts, seconds: Math.round((performance.now() - began) / 100) / 10 })
  const done = await act().catch((error: Error) => {
    try {
      note(false, error.message, {})
    } catch {
      // Why it failed is told, and not that this could not be written down: nothing is, now.
    }
    throw error
  })
  note(true, null, done)
  return done
}

/** Null: nothing was written down yet. */
export function readNotes(file: string = PATHS.notes): Notes | 'unreadable' | null {
  try {
    const { backup = null, drill = null } = JSON.parse(readFileSync(file, 'utf8'))
    return { backup, drill }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unreadable'
  }
}

function write(file: string, what: What, ended: Pick<Note, 'ok' | 'reason' | 'facts' | 'seconds'>): void {
  const known = readNotes(file)
  const before: Notes = known === null || known === 'unreadable' ? { backup: null, drill: null } : known
  const at = new Date().toISOString()
  const lastSuccessAt = ended.ok ? at : (before[what]?.lastSuccessAt ?? null)
  try {
    writeWhole(file, `${JSON.stringify({ ...before, [what]: { at, lastSuccessAt, ...ended } })}\n`, 0o644)
  } catch (error) {
    // Of a full disk, too: what was good before must not be taken for what became of this one.
    rmSync(file, { force: true })
    throw error
  }
}
