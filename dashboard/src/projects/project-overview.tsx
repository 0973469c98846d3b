import type { Project } from '@slipway/contract/projects'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lastQuery } from '../api/projects.ts'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { useRowKeys } from '../deployments/use-row-keys.ts'
import { Bones, Card, Code, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { PendingChanges } from '../variables/pending-changes.tsx'
import { useIsFirstAsked } from '../variables/use-pending.ts'
import { PromotionCard } from './promotion-card.tsx'
import { ServingCard } from './serving-card.tsx'
import { UnderWay } from './under-way.tsx'

/** What visitors get now is the heart of it; beside it what is about to change that. */
export function ProjectOverview({ project }: { project: Project }) {
  useRowKeys()
  const isAsked = useIsFirstAsked(project)
  return (
    <div className={isAsked ? 'invisible' : ''}>
      <PromotionCard project={project} />
      <PendingChanges project={project} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <ServingCard projectId={project.id} />
        <UnderWay projectId={project.id} />
      </div>
      <Last project={project} />
    </div>
  )
}

function Last({ project }: { project: Project }) {
  const list = useInfiniteQuery(lastQuery(project.id))
  const rows = list.data?.pages[0]?.data
  return (
    <section aria-label="Deployments">
      <div className="mt-8 mb-3 flex items-baseline">
        <h2 className="text-sm font-semibold">Deployments</h2>
        <Link
          to="/deployments"
          search={{ project: project.id }}
          className="ml-auto text-xs font-medium text-brand hover:underline"
        >
          All deployments
        </Link>
      </div>
      {list.isPending && <Bones rows={4} />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {rows?.length === 0 && (
        <Empty title="Nothing has been deployed yet">
          Use the Deploy button above, or run <Code>slipway deploy</Code> in the folder of the project.
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {rows.map((one) => (
              <DeploymentRow key={one.id} deployment={one} project={project.name} />
            ))}
          </ul>
        </Card>
      )}
    </section>
  )
}
