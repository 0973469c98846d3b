import type { Preparation, Prepare } from '@slipway/contract/prepare'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, isRefusal } from './client.ts'

/** What a source is and how it would be built; null: this instance recognises it only when it is deployed. */
export const preparationQuery = (body: Prepare) =>
  queryOptions({
    queryKey: ['preparation', body],
    queryFn: async ({ signal }): Promise<Preparation | null> => {
      try {
        return await api.deployments.prepare({ body, signal })
      } catch (error) {
        if (isRefusal(error) && error.body.code === 'local_source_refused') return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

type Wanted = { owner?: string | undefined; q?: string | undefined }

export const repositoriesQuery = ({ owner, q }: Wanted) =>
  infiniteQueryOptions({
    queryKey: ['githost', 'repositories', { owner, q }],
    queryFn: ({ pageParam, signal }) =>
      api.githost.list({
        query: { limit: 50, ...(owner && { owner }), ...(q && { q }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    // Listed for the first time, more follows.
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.listing.state === 'filling' ? 3000 : false),
    staleTime: 30_000,
  })

type Named = { owner: string; repo: string }

export const repositoryQuery = ({ owner, repo }: Named) =>
  queryOptions({
    queryKey: ['githost', 'repository', owner, repo],
    queryFn: ({ signal }) => api.githost.show({ params: { owner, repo }, query: { branches: 'true' }, signal }),
    staleTime: 30_000,
  })
