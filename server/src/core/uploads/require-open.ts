import { notFound, Refusal } from '../../errors.ts'
import type { SessionRow } from './store.ts'

/** A session that still takes files; each way it may not has its own code. */
export function requireOpen(session: SessionRow | undefined): SessionRow {
  if (!session) throw notFound('folder session')
  if (session.sealedAt) {
    throw new Refusal('session_sealed', 'This folder session is sealed and takes no more files.', {
      hint: 'Begin a new folder session; what did not change need not be sent again.',
    })
  }
  return requireUnexpired(session)
}

export function requireUnexpired(session: SessionRow): SessionRow {
  if (!session.expired || session.sealedAt) return session
  throw new Refusal('session_expired', 'This folder session expired before it was sealed.', {
    hint: 'Begin a new folder session; what was sent within the last hours need not be sent again.',
  })
}
