import type { Config } from '../../config.ts'
import { Refusal } from '../../errors.ts'

export type SessionMode = 'local' | 'cloud'
type Mode = Pick<Config, 'mode'>

/** Where an upload is meant to be deployed, as its session is begun. */
export function modeOf({ mode }: Mode, wanted: SessionMode = 'local'): SessionMode {
  if (wanted === 'cloud' && mode !== 'cloud') throw notLinked('mode')
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
