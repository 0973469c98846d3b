import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { auditQuery } from '../api/platform.ts'
import { Bones, Card, Empty, Page, PageHead } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { ActivityRow } from './activity-row.tsx'
import { Filters } from './filters.tsx'
import { useNames } from './use-names.ts'

const route = getRouteApi('/in/activity')

export function ActivityPage() {
  useTitle('Activity · Slipway')
  const filter = route.useSearch()
  const list = useInfiniteQuery({ ...auditQuery(filter), placeholderData: keepPreviousData })
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  const nameOf = useNames()
  return (
    <Page>
      <PageHead title="Activity" note="Who did what from where, newest first." />
      <Filters filter={filter} rows={rows} nameOf={nameOf} />
      <Stale query={list} />
      {list.isPending && <Bones />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data && rows.length === 0 && (
        <Empty title="Nothing fits these filters">Take one away, or clear them all.</Empty>
      )}
      {rows.length > 0 && (
        <Card className={list.isPlaceholderData || list.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {rows.map((entry) => (
              <ActivityRow key={entry.id} entry={entry} nameOf={nameOf} />
            ))}
          </ul>
        </Card>
      )}
      <ShowOlder list={list} />
    </Page>
  )
}
