import type { Project } from '@slipway/contract/projects'
import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { domainsQuery } from '../api/domains.ts'
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
/** The API is asked for each project: so many at once, and more when somebody wants them. */
const AT_ONCE = 20
const STATES = [
  { value: 'wrong', label: 'Needs somebody' },
  { value: 'right', label: 'In order' },
]

/** Every name of the organization, project by project. */
export function DomainsPage() {
  useTitle('Domains · Slipway')
  const filter = route.useSearch()
  const [most, setMost] = useState(AT_ONCE)
  const query = useQuery(projectsQuery)
  const projects = query.data ?? []
  const meant = filter.project ? projects.filter(({ id }) => id === filter.project) : projects
  const asked = meant.slice(0, most)
  return (
    <Page>
      <PageHead title="Domains" note="Every name that leads to a project of this organization." />
      <Filters filter={filter} projects={projects} />
      <Stale query={query} />
      {query.isPending && <Bones />}
      {query.isLoadingError && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data && <Names projects={asked} filter={filter} />}
      {meant.length > asked.length && (
        <p className="pt-4 text-center">
          <Button onClick={() => setMost(most + AT_ONCE)}>
            Show the names of {Math.min(AT_ONCE, meant.length - asked.length)} more projects
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

function Names({ projects, filter }: { projects: Project[]; filter: DomainsFilter }) {
  const answers = useQueries({ queries: projects.map(({ id }) => domainsQuery(id)) })
  const broken = answers.find(({ isError }) => isError)
  const rows = projects.flatMap((project, at) =>
    (answers[at]?.data ?? []).filter((domain) => isShown(domain, filter)).map((domain) => ({ project, domain })),
  )
  const isAsking = answers.some(({ isPending }) => isPending)
  return (
    <>
      {broken && <Refused error={broken.error} className="mb-4" onRetry={() => broken.refetch()} />}
      {isAsking && rows.length === 0 && <Bones />}
      {!isAsking && !broken && rows.length === 0 && <Nothing filter={filter} />}
      {rows.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {rows.map(({ project, domain }) => (
              <DomainRow
                key={`${domain.host}${domain.targetPath ?? ''}`}
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
                {domain.dns && !domain.dns.ok && !isHereOnly(domain.host) && (
                  <p className="mt-1 text-xs text-ask text-pretty">{domain.dns.message}</p>
                )}
              </DomainRow>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function Nothing({ filter }: { filter: DomainsFilter }) {
  if (filter.project || filter.state)
    return <Empty title="No name fits these filters">Take one away, or clear them all.</Empty>
  return <Empty title="No names yet">A project has them under Domains on its own page.</Empty>
}
