import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { deliveriesQuery } from '../api/platform.ts'
import { projectsQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Pick } from '../ui/pick.tsx'
import { Refused } from '../ui/refused.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { DECISION_CHOICES } from './words.ts'

const route = getRouteApi('/in/git')

/** Why something was deployed, or not. */
export function DeliveriesTab() {
  const { repo, decision } = route.useSearch()
  const { data: projects = [] } = useQuery(projectsQuery)
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const list = useInfiniteQuery({ ...deliveriesQuery({ repo, decision }), placeholderData: keepPreviousData })
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <>
      <Filters repo={repo} decision={decision} />
      <Stale query={list} />
      {list.isPending && <Bones />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data && rows.length === 0 && (
        <Empty title={repo || decision ? 'No delivery fits these filters' : 'Nothing was pushed yet'}>
          Every push to a repository that a project is linked to is listed here, with what was decided about it.
        </Empty>
      )}
      {rows.length > 0 && (
        <Card className={list.isPlaceholderData || list.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {rows.map((one) => (
              <DeliveryRow key={one.id} delivery={one} project={names.get(one.projectId ?? '')} />
            ))}
          </ul>
        </Card>
      )}
      <ShowOlder list={list} />
    </>
  )
}

type FilterProps = { repo: string | undefined; decision: DeliveryDecision | undefined }

function Filters({ repo, decision }: FilterProps) {
  const navigate = route.useNavigate()
  const narrow = (change: Partial<FilterProps>) =>
    void navigate({ search: { tab: 'deliveries', repo, decision, ...change }, replace: true })
  return (
    <fieldset className="flex flex-wrap items-center gap-2 pb-3">
      <legend className="sr-only">Filters</legend>
      <Pick
        label="Decision"
        value={decision ?? ''}
        choices={DECISION_CHOICES}
        onPick={(picked) => narrow({ decision: (picked || undefined) as DeliveryDecision | undefined })}
      />
      {repo && (
        <Button onClick={() => narrow({ repo: undefined })}>
          <span className="max-w-52 truncate">Only {repo}</span>
          <X size={14} aria-label="Take this filter away" />
        </Button>
      )}
    </fieldset>
  )
}
