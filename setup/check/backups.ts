import type { Note, Notes } from '../backup/note.ts'
import { type Finding, ok, warning } from './finding.ts'

const AGAIN = { backup: 'slipway setup backup', drill: 'slipway setup drill' }
const NOTHING = { backup: 'The first one is made in the coming night', drill: 'The first one is made next month' }

/** What is known of backups of the platform itself. Nothing of it is a reason not to begin. */
export function checkBackups(notes: Notes | 'unreadable' | null, { drills }: { drills: boolean }): Finding[] {
  if (notes === 'unreadable')
    return [warning('backup', 'what was noted of backups cannot be read', `Make one, and it is: ${AGAIN.backup}.`)]
  return [of('backup', notes?.backup ?? null), ...(drills ? [of('drill', notes?.drill ?? null)] : [])]
}

function of(what: 'backup' | 'drill', note: Note | null): Finding {
  if (note === null) return warning(what, 'there was none yet', `${NOTHING[what]}, or now: ${AGAIN[what]}.`)
  if (note.ok) return ok(what, `the last one, of ${note.at}, went well`)
  const [reason = ''] = (note.reason ?? '').split('\n')
  const good = note.lastSuccessAt === null ? 'None went well before.' : `The last good one is of ${note.lastSuccessAt}.`
  return warning(what, `the last one, of ${note.at}, failed: ${reason}`, `${good} Try it: ${AGAIN[what]}.`)
}
