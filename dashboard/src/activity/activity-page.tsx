import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type AuditFilter, auditQuery } from '../api/platform.ts'
import { Button } from '../ui/button.tsx'
import { Bones, Card, Empty, Page, PageHead } from '../ui/page.tsx'
import { Pick } from '../ui/pick.tsx'
import { Refused } from '../ui/refused.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { ActivityRow } from './activity-row.tsx'
import { useNames } from './use-names.ts'
import { ACTION_CHOICES } from './words.ts'

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
      <Filters filter={filter} nameOf={nameOf} />
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

type FiltersProps = { filter: AuditFilter; nameOf(id: string): string | undefined }

/** What was done is picked here; to what is picked at a row. Both are in the address. */
function Filters({ filter, nameOf }: FiltersProps) {
  const navigate = route.useNavigate()
  const { action, target } = filter
  const narrow = (change: AuditFilter) => void navigate({ search: { ...filter, ...change }, replace: true })
  const isKnown = action === undefined || ACTION_CHOICES.some(({ value }) => value === action)
  return (
    <fieldset className="flex flex-wrap items-center gap-2 pb-3">
      <legend className="sr-only">Filters</legend>
      <Pick
        label="Action"
        value={action ?? ''}
        choices={isKnown ? ACTION_CHOICES : [...ACTION_CHOICES, { value: action, label: action }]}
        onPick={(picked) => narrow({ action: picked || undefined })}
      />
      {target && (
        <Button onClick={() => narrow({ target: undefined })}>
          <span className="max-w-52 truncate">Only {nameOf(target) ?? target}</span>
          <X size={14} aria-label="Take this filter away" />
        </Button>
      )}
      {(action || target) && (
        <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
          <X size={14} aria-hidden /> Clear
        </Button>
      )}
    </fieldset>
  )
}
