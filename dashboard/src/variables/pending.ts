import type { PendingVariable } from '@slipway/contract/pending'
import type { Project } from '@slipway/contract/projects'
import type { Variable } from './variable.ts'

/** Of a release of old it is not known what it was made with; what was changed after it went live it lacks for certain. */
export const isNewerThan = (active: Project['active'], { updatedAt }: Pick<Variable, 'updatedAt'>): boolean =>
  active?.since != null && Date.parse(updatedAt) > Date.parse(active.since)

const MOST = 4

/** "A and B changed, C removed": names alone. */
export function pendingInWords(variables: readonly PendingVariable[]): string {
  const of = (change: PendingVariable['change']) => {
    const names = [...new Set(variables.filter((one) => one.change === change).map(({ name }) => name))]
    return names.length === 0 ? [] : [`${listed(names)} ${change}`]
  }
  return [...of('added'), ...of('changed'), ...of('removed')].join(', ')
}

function listed(names: string[]): string {
  const told = names.length > MOST ? [...names.slice(0, MOST), `${names.length - MOST} more`] : names
  const last = told.at(-1) ?? ''
  return told.length < 2 ? last : `${told.slice(0, -1).join(', ')} and ${last}`
}
