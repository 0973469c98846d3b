import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { activeQuery, deploymentsQuery, overviewQuery, projectsQuery } from '../api/queries.ts'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { useRowKeys } from '../deployments/use-row-keys.ts'
import { Checklist } from '../setup/checklist.tsx'
import { isSetUp, type SetupStep } from '../setup/steps.ts'
import { useSetup } from '../setup/use-setup.ts'
import { Bones, Card, Page, PageHead } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { Attention } from './attention.tsx'
import { FirstFolder } from './first-folder.tsx'
import { ProjectCard } from './project-card.tsx'

const MOST_RECENT = 6

/** What do visitors get now, what is under way, what needs me. */
export function OverviewPage() {
  useTitle('Overview · Slipway')
  useRowKeys()
  const overview = useQuery(overviewQuery)
  const steps = useSetup()
  // What comes above something else comes before it, so that nothing moves.
  const isUnknown = overview.data?.projects.total === 0 && steps === undefined
  return (
    <Page>
      <PageHead title="Overview">{(overview.data?.projects.total ?? 0) > 0 && <NewProject />}</PageHead>
      <Stale query={overview} />
      {overview.isPending && <Bones />}
      {overview.isLoadingError && <Refused error={overview.error} onRetry={() => overview.refetch()} />}
      {overview.data && isUnknown && <Bones />}
      {overview.data && !isUnknown && (
        <div className={overview.isError ? 'opacity-60' : ''}>
          <FirstSteps steps={steps} />
          {overview.data.projects.total > 0 && <Attention items={overview.data.attention} />}
          <Projects />
          <Recent />
        </div>
      )}
    </Page>
  )
}

const NewProject = () => (
  <Link
    to="/new"
    className="inline-flex h-8 items-center gap-1.5 rounded-md bg-primary px-3 font-medium text-primary-ink shadow-card hover:opacity-90 pointer-coarse:h-11"
  >
    <Plus size={14} aria-hidden /> New project
  </Link>
)

/** Until there is a server and something to deploy. */
function FirstSteps({ steps }: { steps: SetupStep[] | undefined }) {
  if (!steps || isSetUp(steps)) return null
  return (
    <section aria-label="First steps" className="mb-8 max-w-2xl">
      <h2 className="mb-3 text-sm font-semibold">First steps</h2>
      <Checklist steps={steps.filter(({ isOptional }) => !isOptional)} />
    </section>
  )
}

function useRecent() {
  const { data } = useInfiniteQuery(deploymentsQuery({}))
  return data?.pages.flatMap((page) => page.data)
}

function Projects() {
  const { data: projects } = useQuery(projectsQuery)
  const { data: active } = useQuery(activeQuery)
  const recent = useRecent()
  if (!projects || !active || !recent) return <Bones rows={3} />
  if (projects.length === 0) return <FirstFolder />
  const serving = new Map(active.map((one) => [one.projectId, one]))
  return (
    <>
      <h2 className="mt-8 mb-3 text-sm font-semibold">Projects</h2>
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {projects.map((project) => (
          <ProjectCard
            key={project.id}
            project={project}
            active={serving.get(project.id)}
            recent={recent.filter(({ projectId }) => projectId === project.id)}
          />
        ))}
      </ul>
    </>
  )
}

function Recent() {
  const recent = useRecent()
  const { data: projects = [] } = useQuery(projectsQuery)
  if (!recent || recent.length === 0) return null
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (
    <>
      <div className="mt-8 mb-3 flex items-baseline">
        <h2 className="text-sm font-semibold">Recent deployments</h2>
        <Link to="/deployments" className="ml-auto text-xs font-medium text-brand hover:underline">
          All deployments
        </Link>
      </div>
      <Card>
        <ul className="divide-y divide-line">
          {recent.slice(0, MOST_RECENT).map((one) => (
            <DeploymentRow key={one.id} deployment={one} project={names.get(one.projectId) ?? ''} />
          ))}
        </ul>
      </Card>
    </>
  )
}
