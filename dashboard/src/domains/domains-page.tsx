import type { ListedDomain } from '@slipway/contract/domains'
import type { Project } from '@slipway/contract/projects'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { allDomainsQuery } from '../api/domains.ts'
import { projectsQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Bones, Card, Empty, Page, PageHead } from '../ui/page.tsx'
import { Pick } from '../ui/pick.tsx'
import { Refused } from '../ui/refused.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { DomainRow } from './domain-row.tsx'
import { type DomainsFilter, isShown } from './domains-filter.ts'
import { isHereOnly } from './here-only.ts'

const route = getRouteApi('/in/domains')
const STATES = [
  { value: 'wrong', label: 'Needs somebody' },
  { value: 'right', label: 'In order' },
]

/** Every name of the organization, whichever project it leads to. */
export function DomainsPage() {
  useTitle('Domains · Slipway')
  const filter = route.useSearch()
  const { data: projects = [] } = useQuery(projectsQuery)
  const list = useInfiniteQuery({ ...allDomainsQuery(filter.project), placeholderData: keepPreviousData })
  const names = list.data?.pages.flatMap(({ data }) => data).filter((domain) => isShown(domain, filter)) ?? []
  return (
    <Page>
      <PageHead title="Domains" note="Every name that leads to a project of this organization." />
      <Filters filter={filter} projects={projects} />
      <Stale query={list} />
      {list.isPending && <Bones />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data && names.length === 0 && !list.hasNextPage && <Nothing filter={filter} />}
      {names.length > 0 && (
        <Card className={list.isPlaceholderData || list.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {names.map((one) => (
              <Name key={`${one.host}${one.targetPath ?? ''}`} domain={one} />
            ))}
          </ul>
        </Card>
      )}
      {list.hasNextPage && (
        <p className="pt-4 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {names.length === 0 ? 'Look further' : 'Show more'}
          </Button>
        </p>
      )}
    </Page>
  )
}

function Filters({ filter, projects }: { filter: DomainsFilter; projects: Project[] }) {
  const navigate = route.useNavigate()
  const narrow = (change: DomainsFilter) => void navigate({ search: { ...filter, ...change }, replace: true })
  return (
    <fieldset className="flex flex-wrap items-center gap-2 pb-3">
      <legend className="sr-only">Filters</legend>
      <Pick
        label="Project"
        value={filter.project ?? ''}
        choices={projects.map(({ id, name }) => ({ value: id, label: name }))}
        onPick={(project) => narrow({ project: project || undefined })}
      />
      <Pick
        label="State"
        value={filter.state ?? ''}
        choices={STATES}
        onPick={(state) => narrow({ state: (state || undefined) as DomainsFilter['state'] })}
      />
      {(filter.project || filter.state) && (
        <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
          <X size={14} aria-hidden /> Clear
        </Button>
      )}
    </fieldset>
  )
}

function Name({ domain }: { domain: ListedDomain }) {
  const { host, dns, project } = domain
  return (
    <DomainRow
      domain={domain}
      action={
        <Link
          to="/projects/$id"
          params={{ id: project.id }}
          search={{ tab: 'domains' }}
          data-row
          className="inline-flex min-h-6 max-w-40 shrink-0 max-sm:max-w-24 items-center text-xs font-medium text-brand hover:underline pointer-coarse:min-h-11"
        >
          <span className="truncate">{project.name}</span>
        </Link>
      }
    >
      {dns && !dns.ok && !isHereOnly(host) && <p className="mt-1 text-xs text-ask text-pretty">{dns.message}</p>}
    </DomainRow>
  )
}

function Nothing({ filter }: { filter: DomainsFilter }) {
  if (filter.project || filter.state)
    return <Empty title="No name fits these filters">Take one away, or clear them all.</Empty>
  return <Empty title="No names yet">A project has them under Domains on its own page.</Empty>
}
