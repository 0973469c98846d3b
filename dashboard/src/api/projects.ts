import { isFinished } from '@slipway/contract/deployment-states'
import type { Project } from '@slipway/contract/projects'
import { queryOptions } from '@tanstack/react-query'
import { api, isRefusal } from './client.ts'
import { deploymentsQuery } from './queries.ts'

const LOOK_MS = 15_000
const SERVING_MS = 10_000
const RUNNING_MS = 3000
const USAGE_MS = 3000
const PENDING_MS = 60_000
const MOST = 200
const UNDER_WAY = 'queued,building,deploying'

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: ({ signal }) => api.projects.show({ params: { id }, signal }),
    refetchInterval: LOOK_MS,
  })

/** As many as its own page shows. */
export const lastQuery = (project: string) => deploymentsQuery({ project }, 8)

/** What the engine says runs of it. */
export const servingQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'serving'],
    queryFn: ({ signal }) => api.deployments.serving({ params: { id }, signal }),
    refetchInterval: SERVING_MS,
  })

/** What has not ended of a project, oldest first: the first of them runs, the others wait. */
export const underWayQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['deployments', 'under-way', projectId],
    queryFn: async ({ signal }) => {
      const { data } = await api.deployments.list({ query: { projectId, status: UNDER_WAY, limit: 50 }, signal })
      return data.filter(({ status }) => !isFinished(status)).toReversed()
    },
    refetchInterval: RUNNING_MS,
  })

/** How its way to the hosted cloud stands; null: it never went. */
export const promotionQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'promotion'],
    queryFn: async ({ signal }) => {
      try {
        return await api.promotion.show({ params: { id }, signal })
      } catch (error) {
        if (isRefusal(error) && error.status === 404) return null
        throw error
      }
    },
    staleTime: LOOK_MS,
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? RUNNING_MS : false),
  })

export const usageQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: ['deployment', deploymentId, 'usage'],
    queryFn: async ({ signal }) => (await api.deployments.usage({ params: { id: deploymentId }, signal })).data,
    refetchInterval: USAGE_MS,
    gcTime: 0,
  })

export const servicesQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'services'],
    queryFn: async ({ signal }) => (await api.services.list({ params: { id }, query: { limit: MOST }, signal })).data,
  })

/** What its release was not made with: asked anew with another release, after each write, and for what others change now and then. */
export const pendingQuery = ({ id, active }: Pick<Project, 'id' | 'active'>) =>
  queryOptions({
    queryKey: ['project', id, 'pending', active?.id],
    queryFn: ({ signal }) => api.deployments.pendingChanges({ params: { id }, signal }),
    enabled: active != null,
    refetchInterval: PENDING_MS,
  })

export const variablesQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'variables'],
    queryFn: async ({ signal }) => {
      const all = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query: { limit: number; cursor?: string } = { limit: MOST, ...(cursor && { cursor }) }
        const page: Awaited<ReturnType<typeof api.variables.list>> = await api.variables.list({
          params: { id },
          query,
          signal,
        })
        all.push(...page.data)
        cursor = page.nextCursor
      }
      return all
    },
  })

export const volumesQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'volumes'],
    queryFn: async ({ signal }) => (await api.projects.volumes({ params: { id }, signal })).data,
    staleTime: LOOK_MS,
  })

export const grantsQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'grants'],
    queryFn: async ({ signal }) =>
      (await api.migration.grants({ params: { id }, query: { limit: MOST }, signal })).data,
  })
