import type { PendingVariable } from '@slipway/contract/pending'
import type { Project } from '@slipway/contract/projects'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { pendingQuery, variablesQuery } from '../api/projects.ts'
import { keyOf } from './variable.ts'

/** What serves was made without it; by the key of the variable. Empty where that is not known. */
export function usePending(project: Project): ReadonlyMap<string, PendingVariable['change']> {
  const { data } = useQuery(pendingQuery(project))
  if (data?.release?.id !== project.active?.id) return new Map()
  return new Map((data?.variables ?? []).map((one) => [keyOf(one), one.change]))
}

const isAsked = ({ isPending, isFetching, failureCount }: UseQueryResult) =>
  isPending && isFetching && failureCount === 0

/** Until it is known for the first time whether something is pending, so that what stands below can wait for it and does not move. */
export function useIsFirstAsked(project: Project): boolean {
  const pending = useQuery(pendingQuery(project))
  const isOld = pending.data?.variables === null
  const variables = useQuery({ ...variablesQuery(project.id), enabled: isOld })
  const isKnown = useRef(false)
  isKnown.current ||= !isAsked(pending) && !isAsked(variables)
  return !isKnown.current
}
