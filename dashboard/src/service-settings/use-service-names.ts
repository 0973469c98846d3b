import { useQuery } from '@tanstack/react-query'
import { servicesQuery } from '../api/projects.ts'
import { activeOfQuery } from '../api/queries.ts'

/** The services that a project has as far as is known: those of its settings and of its release; without any it is one, `web`, which comes first. */
export function useServiceNames(projectId: string): string[] {
  const { data: described = [] } = useQuery(servicesQuery(projectId))
  const { data: active } = useQuery(activeOfQuery(projectId))
  const names = new Set([...described, ...(active?.services ?? [])].map(({ name }) => name))
  const sorted = [...names].toSorted((a, b) => Number(b === 'web') - Number(a === 'web') || a.localeCompare(b))
  return sorted.length > 0 ? sorted : ['web']
}
