import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import type { Links } from '../access/links.ts'

export type SessionMode = 'local' | 'cloud'
type Mode = Pick<Config, 'mode'>

/** Where an upload is meant to be deployed, as its session is begun. For a cloud there has to be one. */
export async function modeOf(
  { db, config, links }: { db: Database; config: Mode; links: Links },
  { orgId }: { orgId: string },
  wanted: SessionMode = 'local',
): Promise<SessionMode> {
  if (wanted === 'cloud' && config.mode !== 'cloud' && !(await links.toCloud(db, orgId))) throw notLinked('mode')
  return wanted
}

/** Folders are deployed where they were meant for: a hosted instance takes none that was meant for a machine of one's own. */
export function requireDeployable({ mode }: Mode, session: { mode: SessionMode } | undefined): void {
  if (mode !== 'cloud' || session?.mode === 'cloud') return
  throw new Refusal('local_source_refused', 'The folder was uploaded for servers of one’s own, and this is a cloud.', {
    field: 'uploadSessionId',
    hint: 'Begin a folder session with mode: cloud, or deploy a repository.',
  })
}

export const notLinked = (field: string) =>
  new Refusal('invalid_request', 'This instance is not linked to a hosted cloud.', {
    field,
    hint: `Leave ${field} out to deploy on a server of this instance.`,
  })
