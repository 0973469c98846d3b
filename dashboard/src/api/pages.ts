import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** How often a list that others change is looked at. */
const LIST_MS = 15_000
/** As many as the API gives at once. */
const MOST = 200

type Listing<Row> = (asked: {
  query: { limit: number; cursor?: string }
  signal: AbortSignal
}) => Promise<{ data: Row[]; nextCursor: string | null }>

/** The rows of a list, and those after them when somebody asks for more. Whatever asks anew for `key` asks for these too. */
const inPages = <Row>(key: string, list: Listing<Row>) =>
  infiniteQueryOptions({
    queryKey: [key, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      list({ query: { limit: MOST, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: LIST_MS,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })

export const memberPagesQuery = inPages('members', api.members.list)
export const registryPagesQuery = inPages('registries', api.registries.list)
export const destinationPagesQuery = inPages('backup-destinations', api.backupDestinations.list)
