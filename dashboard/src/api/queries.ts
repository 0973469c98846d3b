import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import { isFinished } from '@slipway/contract/deployment-states'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** How often a page that is looked at asks again. */
const LIST_MS = 15_000
const RUNNING_MS = 2000
/** As many as the API gives at once. */
const MOST = 200

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.me.show({ signal }),
  staleTime: 60_000,
})

export const organizationsQuery = queryOptions({
  queryKey: ['me', 'organizations'],
  queryFn: async ({ signal }) => (await api.me.organizations({ query: { limit: MOST }, signal })).data,
  staleTime: 60_000,
})

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => api.operations.instance({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => api.deployments.overview({ signal }),
  refetchInterval: LIST_MS,
})

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async ({ signal }) => (await api.projects.list({ query: { limit: MOST }, signal })).data,
  staleTime: 10_000,
})

/** What serves, of every project. */
export const activeQuery = queryOptions({
  queryKey: ['deployments', 'active'],
  queryFn: async ({ signal }) => (await api.deployments.list({ query: { active: 'true', limit: MOST }, signal })).data,
  refetchInterval: LIST_MS,
})

export const activeOfQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['deployments', 'active', projectId],
    queryFn: async ({ signal }) => {
      const { data } = await api.deployments.list({ query: { projectId, active: 'true', limit: 1 }, signal })
      return data[0] ?? null
    },
    refetchInterval: LIST_MS,
  })

export type ListFilter = {
  project?: string | undefined
  status?: DeploymentStatus | undefined
  branch?: string | undefined
}

export const deploymentsQuery = ({ project, status, branch }: ListFilter, limit = 50) =>
  infiniteQueryOptions({
    queryKey: ['deployments', 'list', { project, status, branch, limit }],
    queryFn: ({ pageParam, signal }) =>
      api.deployments.list({
        query: {
          limit,
          ...(project && { projectId: project }),
          ...(status && { status }),
          ...(branch && { branch }),
          ...(pageParam && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: LIST_MS,
  })

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployment', id],
    queryFn: ({ signal }) => api.deployments.show({ params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && !isFinished(data.status) ? RUNNING_MS : LIST_MS),
  })

export const rollbackPlanQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployment', id, 'rollback-plan'],
    queryFn: ({ signal }) => api.deployments.rollbackPlan({ params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  })

export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: async ({ signal }) => (await api.servers.list({ query: { limit: MOST }, signal })).data,
  staleTime: 10_000,
})

export const githostQuery = queryOptions({
  queryKey: ['githost'],
  queryFn: ({ signal }) => api.githost.status({ signal }),
  staleTime: 10_000,
})

export const destinationsQuery = queryOptions({
  queryKey: ['backup-destinations'],
  queryFn: async ({ signal }) => (await api.backupDestinations.list({ query: { limit: MOST }, signal })).data,
  staleTime: 10_000,
})
