import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

const MOST = 200
const LIST_MS = 30_000
/** How often a name that is not right is looked up, while somebody looks at it. */
export const CHECK_MS = 20_000

export const domainsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'domains'],
    queryFn: async ({ signal }) =>
      (await api.domains.list({ params: { id: projectId }, query: { limit: MOST }, signal })).data,
    refetchInterval: LIST_MS,
  })

export const ALL_DOMAINS = ['domains']

/** Of all projects, or of one, each with its project. */
export const allDomainsQuery = (projectId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...ALL_DOMAINS, { projectId }],
    queryFn: ({ pageParam, signal }) =>
      api.domains.all({
        query: { limit: MOST, ...(projectId && { projectId }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: LIST_MS,
  })

/** Where a name leads at this moment. The library asks again only in a page that is visible, and here only until it is right. */
export const domainCheckQuery = (projectId: string, host: string) =>
  queryOptions({
    queryKey: ['domain-check', projectId, host],
    queryFn: ({ signal }) => api.domains.check({ params: { id: projectId }, body: { host }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.ok ? false : CHECK_MS),
    staleTime: CHECK_MS,
    refetchOnWindowFocus: true,
  })
