import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { deploymentsQuery, projectsQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Bones, Card, Code, Empty, Page, PageHead } from '../ui/page.tsx'
import { Pick } from '../ui/pick.tsx'
import { Refused } from '../ui/refused.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { DeploymentRow } from './deployment-row.tsx'
import type { Filter } from './filter.ts'
import { useRowKeys } from './use-row-keys.ts'
import { STATUS_CHOICES } from './words.ts'

const route = getRouteApi('/in/deployments')

export function ListPage() {
  useTitle('Deployments · Slipway')
  useRowKeys()
  const filter = route.useSearch()
  const { data: projects = [] } = useQuery(projectsQuery)
  const list = useInfiniteQuery({ ...deploymentsQuery(filter), placeholderData: keepPreviousData })
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const branches = [...new Set(rows.flatMap(({ source }) => source.branch ?? []))]
  return (
    <Page>
      <PageHead title="Deployments" note="Everything that was shipped, newest first." />
      <Filters filter={filter} names={names} branches={branches} />
      <Stale query={list} />
      {list.data?.pages.some(({ unreachable }) => unreachable) && <CloudAway />}
      {list.isPending && <Bones />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data && rows.length === 0 && <Nothing isNarrowed={Object.values(filter).some(Boolean)} />}
      {rows.length > 0 && (
        <Card className={list.isPlaceholderData || list.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {rows.map((one) => (
              <DeploymentRow key={one.id} deployment={one} project={names.get(one.projectId) ?? ''} />
            ))}
          </ul>
        </Card>
      )}
      <ShowOlder list={list} />
    </Page>
  )
}

const CloudAway = () => (
  <p role="status" className="mb-4 rounded-lg bg-idle-tint px-3 py-2 text-idle">
    The hosted cloud did not answer in time: its deployments are found and shown as they were seen last.
  </p>
)

type FiltersProps = { filter: Filter; names: Map<string, string>; branches: string[] }

/** All of it is in the address, so that a view can be sent to somebody. */
function Filters({ filter, names, branches }: FiltersProps) {
  const navigate = route.useNavigate()
  const narrow = (change: Filter) => void navigate({ search: { ...filter, ...change }, replace: true })
  const all = [...new Set([...branches, ...(filter.branch ? [filter.branch] : [])])]
  return (
    <fieldset className="flex flex-wrap items-center gap-2 pb-3">
      <legend className="sr-only">Filters</legend>
      <Pick
        label="Project"
        value={filter.project ?? ''}
        choices={[...names].map(([value, label]) => ({ value, label }))}
        onPick={(project) => narrow({ project: project || undefined })}
      />
      <Pick
        label="Status"
        value={filter.status ?? ''}
        choices={STATUS_CHOICES}
        onPick={(status) => narrow({ status: (status || undefined) as Filter['status'] })}
      />
      <Pick
        label="Branch"
        value={filter.branch ?? ''}
        choices={all.map((value) => ({ value, label: value }))}
        onPick={(branch) => narrow({ branch: branch || undefined })}
      />
      {Object.values(filter).some(Boolean) && (
        <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
          <X size={14} aria-hidden /> Clear
        </Button>
      )}
    </fieldset>
  )
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) return <Empty title="No deployment fits these filters">Take one away, or clear them all.</Empty>
  return (
    <Empty title="Nothing has been deployed yet">
      Run <Code>slipway deploy</Code> in a folder, or push to a repository that a project is linked to.
    </Empty>
  )
}
