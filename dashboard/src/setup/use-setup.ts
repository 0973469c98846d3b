import { useQuery } from '@tanstack/react-query'
import { destinationsQuery, githostQuery, projectsQuery, serversQuery } from '../api/queries.ts'
import { type SetupStep, setupSteps } from './steps.ts'

/** undefined: not known yet. What this person may not see counts as not done; what may be left out is not waited for. */
export function useSetup(): SetupStep[] | undefined {
  const servers = useQuery(serversQuery)
  const projects = useQuery(projectsQuery)
  const githost = useQuery(githostQuery)
  const destinations = useQuery(destinationsQuery)
  // Not `isPending`: what failed is asked for again by parts of the checklist, which must not take it away meanwhile.
  if (!servers.isFetched || !projects.isFetched) return undefined
  return setupSteps({
    servers: servers.data?.map(({ name, lastReport }) => ({ name, ok: lastReport?.ok ?? null })),
    projects: projects.data?.length,
    isConnected: githost.data && githost.data.state !== 'disconnected',
    destinations: destinations.data?.length,
  })
}
