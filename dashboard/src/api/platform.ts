import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** As many as the API gives at once; of the git host. */
const MOST = 200
const MOST_REPOSITORIES = 50
/** How often something that another page decides is looked at. */
const PENDING_MS = 3000
const LIST_MS = 15_000

type Listed<T extends (...input: never[]) => Promise<{ data: unknown[] }>> = Awaited<ReturnType<T>>['data'][number]
export type Session = Listed<typeof api.me.sessions>
export type Member = Listed<typeof api.members.list>
export type Invitation = Listed<typeof api.members.invitations>
export type Token = Listed<typeof api.tokens.list>
export type AuditEntry = Listed<typeof api.audit.list>
export type InstanceLink = Listed<typeof api.links.list>

export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: async ({ signal }) => (await api.me.sessions({ query: { limit: MOST }, signal })).data,
})

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await api.members.list({ query: { limit: MOST }, signal })).data,
})

export const invitationsQuery = queryOptions({
  queryKey: ['members', 'invitations'],
  queryFn: async ({ signal }) => (await api.members.invitations({ query: { limit: MOST }, signal })).data,
  // Who was invited joins on another page.
  refetchInterval: LIST_MS,
})

export const tokensQuery = infiniteQueryOptions({
  queryKey: ['tokens'],
  queryFn: ({ pageParam, signal }) => api.tokens.list({ query: { ...(pageParam && { cursor: pageParam }) }, signal }),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
})

export const registriesQuery = queryOptions({
  queryKey: ['registries'],
  queryFn: async ({ signal }) => (await api.registries.list({ query: { limit: MOST }, signal })).data,
})

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: async ({ signal }) => (await api.limits.list({ signal })).limits,
})

export const addressQuery = queryOptions({
  queryKey: ['instance', 'address'],
  queryFn: ({ signal }) => api.operations.address({ signal }),
})

export const instanceBackupsQuery = queryOptions({
  queryKey: ['instance', 'backups'],
  queryFn: ({ signal }) => api.operations.backups({ signal }),
})

export const healthQuery = queryOptions({
  queryKey: ['instance', 'health'],
  queryFn: ({ signal }) => api.operations.readyz({ signal }),
})

export const cloudLinkQuery = queryOptions({
  queryKey: ['cloud-link'],
  queryFn: ({ signal }) => api.cloudLink.show({ signal }),
  refetchInterval: ({ state: { data } }) => (data?.state === 'pending' ? PENDING_MS : LIST_MS),
})

export const linksQuery = queryOptions({
  queryKey: ['links'],
  queryFn: async ({ signal }) => (await api.links.list({ query: { limit: MOST }, signal })).data,
})

/** Days are those of whoever looks, and `until` is one of them. */
export type AuditFilter = Partial<Record<'action' | 'target' | 'actor' | 'since' | 'until', string | undefined>>

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      api.audit.list({ query: { ...askedOf(filter), ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })

const askedOf = ({ action, target, actor, since, until }: AuditFilter) => ({
  ...(action && { action }),
  ...(target && { target }),
  ...(actor && { actor }),
  ...(since && { from: dayBegins(since) }),
  ...(until && { to: dayBegins(until, 1) }),
})

/** Counted in days of the calendar: one of them in the year has 23 hours, and one 25. */
function dayBegins(day: string, later = 0): string {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + later)
  return at.toISOString()
}

/** How the newest attempt of this person to connect stands; a cloud has no such route, and its page looks at the connection itself. */
export const attemptQuery = queryOptions({
  queryKey: ['githost', 'attempt'],
  queryFn: ({ signal }) => api.githost.poll({ signal }),
  refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? PENDING_MS : false),
})

export const repositoriesQuery = ({ owner, q }: { owner?: string | undefined; q?: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: ['githost', 'repositories', { owner, q }],
    queryFn: ({ pageParam, signal }) =>
      api.githost.list({
        query: {
          limit: MOST_REPOSITORIES,
          ...(owner && { owner }),
          ...(q && { q }),
          ...(pageParam && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    // The first listing of an account comes in pieces.
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.listing.state === 'filling' ? PENDING_MS : false),
  })

export const repositoryQuery = (owner: string, repo: string) =>
  queryOptions({
    queryKey: ['githost', 'repository', owner, repo],
    queryFn: ({ signal }) => api.githost.show({ params: { owner, repo }, signal }),
  })

export const hooksQuery = (owner: string, repo: string) =>
  queryOptions({
    queryKey: ['githost', 'hooks', owner, repo],
    queryFn: ({ signal }) => api.githost.hooks({ params: { owner, repo }, signal }),
  })

export type DeliveryFilter = { repo?: string | undefined; decision?: DeliveryDecision | undefined }

export const deliveriesQuery = ({ repo, decision }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['githost', 'deliveries', { repo, decision }],
    queryFn: ({ pageParam, signal }) =>
      api.githostDeliveries.deliveries({
        query: { ...(repo && { repo }), ...(decision && { decision }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: LIST_MS,
  })

export const rulesQuery = queryOptions({
  queryKey: ['githost', 'rules'],
  queryFn: async ({ signal }) => (await api.githostSettings.rules({ signal })).rules,
})
