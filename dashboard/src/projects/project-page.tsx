import type { Project } from '@slipway/contract/projects'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { projectQuery } from '../api/projects.ts'
import { activeOfQuery } from '../api/queries.ts'
import { shown } from '../deployments/words.ts'
import { Bones, Page } from '../ui/page.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { ProjectHead } from './project-head.tsx'
import { ProjectOverview } from './project-overview.tsx'
import { ProjectTabs } from './project-tabs.tsx'
import type { ProjectTab } from './tabs.ts'

// Most visits look at the first side: the others are loaded by those who go there.
const Usage = lazy(() => import('./usage-side.tsx').then(({ UsageSide }) => ({ default: UsageSide })))
const Logs = lazy(() => import('./logs-side.tsx').then(({ LogsSide }) => ({ default: LogsSide })))
const Domains = lazy(() => import('../domains/domains-side.tsx').then(({ DomainsSide }) => ({ default: DomainsSide })))
const Variables = lazy(() =>
  import('../variables/variables-side.tsx').then(({ VariablesSide }) => ({ default: VariablesSide })),
)
const Services = lazy(() =>
  import('../service-settings/services-side.tsx').then(({ ServicesSide }) => ({ default: ServicesSide })),
)
const Settings = lazy(() => import('./settings-side.tsx').then(({ SettingsSide }) => ({ default: SettingsSide })))

const SIDES: Record<ProjectTab, (project: Project) => ReactNode> = {
  overview: (project) => <ProjectOverview project={project} />,
  logs: (project) => <Logs projectId={project.id} />,
  usage: (project) => <Usage projectId={project.id} />,
  domains: (project) => <Domains project={project} />,
  variables: (project) => <Variables project={project} />,
  services: (project) => <Services project={project} />,
  settings: (project) => <Settings project={project} />,
}

const route = getRouteApi('/in/projects/$id')

export function ProjectPage() {
  const { id } = route.useParams()
  const { tab = 'overview' } = route.useSearch()
  const query = useSuspenseQuery(projectQuery(id))
  const { data: active } = useQuery(activeOfQuery(id))
  const project = query.data
  useTitle(`${project.name} · Slipway`, active ? shown(active).tone : null)
  return (
    <Page>
      <Stale query={query} />
      <div className={query.isError ? 'opacity-60' : ''}>
        <ProjectHead project={project} />
        <ProjectTabs id={id} current={tab} />
        <Suspense fallback={<Bones rows={4} />}>
          <div key={id}>{SIDES[tab](project)}</div>
        </Suspense>
      </div>
    </Page>
  )
}
