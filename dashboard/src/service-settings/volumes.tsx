import { useQuery } from '@tanstack/react-query'
import { volumesQuery } from '../api/projects.ts'
import { serversQuery } from '../api/queries.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Age } from '../ui/time.tsx'

/** Where its services keep their data, as the engines say. */
export function Volumes({ projectId }: { projectId: string }) {
  const query = useQuery(volumesQuery(projectId))
  const { data: servers = [] } = useQuery(serversQuery)
  return (
    <Section title="Volumes" note="Data that outlives deployments. No deployment and no rollback touches it.">
      {query.isPending && <Bones rows={1} />}
      {query.isError && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.length === 0 && <p className="text-soft">The engines show no volume of this project.</p>}
      {query.data && query.data.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {query.data.map(({ name, key, serverId, createdAt }) => (
              <li key={`${serverId} ${name}`} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
                <span className="font-medium break-all">{key ?? name}</span>
                <span className="min-w-0 flex-1 basis-40 font-mono text-xs break-all text-faint">{name}</span>
                <span className="text-xs text-soft">{servers.find(({ id }) => id === serverId)?.name}</span>
                {createdAt && (
                  <span className="text-xs text-faint">
                    made <Age at={createdAt} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}
