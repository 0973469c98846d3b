import { z } from 'zod'
import type { BaseParts } from '../parts.ts'

const time = z.iso.datetime()
const Note = z.object({ ok: z.boolean(), at: time, lastSuccessAt: time.nullable() })
const Notes = z.object({ backup: Note.nullable(), drill: Note.nullable() })

type LastRun = { ok: boolean; at: string | null; lastSuccessAt: string | null }

/** Not to be read is not to be good. */
const UNREADABLE: LastRun = { ok: false, at: null, lastSuccessAt: null }

/** What became of the last backup of the platform and of the last drill, as `slipway setup` noted it. Never throws. */
export async function platformBackups({
  dataDir,
}: Pick<BaseParts, 'dataDir'>): Promise<{ backup: LastRun | null; drill: LastRun | null }> {
  try {
    const text = await dataDir.readBackupNotes()
    return text === null ? { backup: null, drill: null } : Notes.parse(JSON.parse(text))
  } catch {
    return { backup: UNREADABLE, drill: UNREADABLE }
  }
}
