import { useQuery } from '@tanstack/react-query'
import { activeOfQuery } from '../api/queries.ts'
import { Bones, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { UsageNow } from '../usage/usage-now.tsx'

export function UsageSide({ projectId }: { projectId: string }) {
  const query = useQuery(activeOfQuery(projectId))
  if (query.isPending) return <Bones rows={3} />
  if (query.isLoadingError) return <Refused error={query.error} onRetry={() => query.refetch()} />
  if (!query.data) return <Empty title="Nothing runs">Figures are here as soon as there is a release.</Empty>
  return <UsageNow key={query.data.id} deploymentId={query.data.id} />
}
