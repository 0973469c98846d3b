import { type Flags, WrongUse } from '../flags.ts'
import type { Facts } from '../look/look.ts'
import { PATHS } from '../paths.ts'
import { type Step, step } from './step.ts'

/** Where those of every night are sent to; empty or missing: they stay on this machine. */
const SETTING = 'SLIPWAY_BACKUP_DESTINATION'

type Asked = Pick<Flags, 'object' | 'keep' | 'destination' | 'nightly'>

/** A file that somebody makes for themselves stays here, unless they say where it is sent to. */
export function planBackup({ installed }: Facts, { object, keep, destination, nightly }: Asked, file: string): Step[] {
  if (nightly && destination === null) throw new WrongUse('--nightly goes with --destination: where to, every night.')
  const usual = object === null ? installed.settings[SETTING] || null : null
  const to = destination ?? usual
  const chosen = nightly && to !== null && installed.settings[SETTING] !== to ? { [SETTING]: to } : null
  return [
    step('back everything up', { do: 'backup', file, keep }),
    ...(to === null ? [] : [step(`send it to ${to}`, { do: 'send', destination: to })]),
    // Only what has worked once is relied on every night.
    ...(chosen
      ? [step(`write to ${PATHS.settings} that it goes there every night`, { do: 'settings', values: chosen })]
      : []),
  ]
}
