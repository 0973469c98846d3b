import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** What both ways out would do; asked only where a decision is awaited. */
export const decisionQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployment', id, 'decision'],
    queryFn: ({ signal }) => api.deployments.decision({ params: { id }, signal }),
  })

/** What is different in it: from the release before, where there is one; else from it to the one that serves. */
export const changesQuery = (id: string, previous: string | null) =>
  queryOptions({
    queryKey: ['deployment', id, 'changes', previous],
    queryFn: ({ signal }) =>
      previous === null
        ? api.deployments.diff({ params: { id }, signal })
        : api.deployments.diff({ params: { id: previous }, query: { to: id }, signal }),
  })
