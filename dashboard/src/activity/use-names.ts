import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { membersQuery, registriesQuery, tokensQuery } from '../api/platform.ts'
import { destinationsQuery, projectsQuery, serversQuery } from '../api/queries.ts'

/** What is called what, of all that still exists and this person may see; the log itself has ids, which names outlive no better. */
export function useNames(): (id: string) => string | undefined {
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: servers = [] } = useQuery(serversQuery)
  const { data: destinations = [] } = useQuery(destinationsQuery)
  const { data: members = [] } = useQuery(membersQuery)
  const { data: registries = [] } = useQuery(registriesQuery)
  const { data: tokens } = useInfiniteQuery(tokensQuery)
  const names = new Map<string, string>([
    ...[...projects, ...servers, ...destinations].map(({ id, name }) => [id, name] as const),
    ...members.map(({ userId, name }) => [userId, name] as const),
    ...registries.map(({ id, host }) => [id, host] as const),
    ...(tokens?.pages.flatMap(({ data }) => data) ?? []).map(({ id, name }) => [id, name] as const),
  ])
  return (id) => names.get(id)
}
