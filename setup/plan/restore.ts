import type { Facts } from '../look/look.ts'
import { type Step, step } from './step.ts'

/** The file is read to its end before anything is changed, and the old database stays until the new one is whole. */
export function planRestore({ installed }: Facts, file: string): Step[] {
  const version = installed.version ?? ''
  return [
    step(`read ${file} to its end`, { do: 'read-back', file }),
    step('restore the database beside the one that is here', { do: 'restore-database', file }),
    step('bring uploads, archived logs and keys', { do: 'restore-data', file }),
    step('let database and data belong together from now on', { do: 'adopt' }),
    step(`start ${version}`, { do: 'start', version, beside: null }),
  ]
}
