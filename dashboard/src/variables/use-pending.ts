import type { PendingVariable } from '@slipway/contract/pending'
import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { pendingQuery } from '../api/projects.ts'
import { keyOf } from './variable.ts'

/** What serves was made without it; by the key of the variable. Empty where that is not known. */
export function usePending(project: Project): ReadonlyMap<string, PendingVariable['change']> {
  const { data } = useQuery(pendingQuery(project))
  if (data?.release?.id !== project.active?.id) return new Map()
  return new Map((data?.variables ?? []).map((one) => [keyOf(one), one.change]))
}
