import type { Facts } from '../look/look.ts'
import { PATHS } from '../paths.ts'
import { type Step, step } from './step.ts'

/** Without `everything` all that was deployed keeps running, and installing again goes on where this stopped. */
export function planUninstall({ installed, engine }: Facts, everything: boolean): Step[] {
  const instance = installed.settings.SLIPWAY_INSTANCE ?? 'slipway'
  const services: Step[] =
    everything && engine.answers
      ? [step('remove the edge, the projects and what is theirs on this engine', { do: 'remove-services', instance })]
      : []
  return [
    step('end the platform', { do: 'end' }),
    ...services,
    step('remove its units', { do: 'remove-units' }),
    ...(everything
      ? [
          ...(installed.cluster ? [step('remove its PostgreSQL cluster', { do: 'remove-cluster' })] : []),
          step(`remove ${PATHS.data}, ${PATHS.backups} and ${PATHS.etc}`, { do: 'remove-data' }),
          ...(installed.user ? [step('remove the user slipway', { do: 'remove-user' })] : []),
        ]
      : []),
    step(`remove ${PATHS.program}`, { do: 'remove-program' }),
  ]
}
