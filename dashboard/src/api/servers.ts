import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

const USAGE_MS = 5000

export const serverQuery = (id: string) =>
  queryOptions({
    queryKey: ['servers', id],
    queryFn: ({ signal }) => api.servers.show({ params: { id }, signal }),
  })

export const serverUsageQuery = (id: string) =>
  queryOptions({
    queryKey: ['servers', id, 'usage'],
    queryFn: async ({ signal }) => (await api.servers.usage({ params: { id }, signal })).data,
    refetchInterval: USAGE_MS,
  })

/** A look at all that runs there. It takes the server some work, so it is done once and again when somebody asks. */
export const scanQuery = (serverId: string) =>
  queryOptions({
    queryKey: ['scan', serverId],
    queryFn: async ({ signal }) => (await api.migration.scan({ body: { serverId }, signal })).stack,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
