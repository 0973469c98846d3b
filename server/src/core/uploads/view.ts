import type { FolderSession } from '@slipway/contract/folder-sessions'
import type { SessionRow } from './store.ts'
import type { Limits } from './tally.ts'

/** How long a session waits to be sealed, and how long it is then kept unless something uses it. */
export const OPEN_HOURS = 24
export const SEALED_HOURS = 30 * 24

type Shown = Pick<SessionRow, 'id' | 'mode' | 'fileCount' | 'sealedAt' | 'expiresAt'> & { byteCount: string | number }

export const view = (session: Shown, missing: string[], limits: Limits): FolderSession => ({
  uploadSessionId: session.id,
  mode: session.mode,
  state: session.sealedAt ? 'sealed' : 'open',
  files: session.fileCount,
  bytes: Number(session.byteCount),
  missing,
  limits,
  expiresAt: session.expiresAt.toISOString(),
})
