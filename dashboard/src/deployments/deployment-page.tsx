import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { HelpCircle } from 'lucide-react'
import { useCallback } from 'react'
import { deploymentQuery, projectsQuery } from '../api/queries.ts'
import type { Log } from '../logs/open-log.ts'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { UsageNow } from '../usage/usage-now.tsx'
import { Changes } from './changes.tsx'
import { DecisionPanel } from './decision/decision-panel.tsx'
import { PromptPanel } from './decision/prompt-panel.tsx'
import { DeploymentHead } from './deployment-head.tsx'
import { FailureCard } from './failure-card.tsx'
import { LogSide } from './log/log-side.tsx'
import { useDeploymentLog } from './log/use-deployment-log.ts'
import { ServicesTable } from './services-table.tsx'
import { DeploymentTabs } from './tabs.tsx'
import { useToldChanges } from './use-told-changes.ts'
import { ALL_LINES, type View } from './view.ts'
import { shown } from './words.ts'

const route = getRouteApi('/in/deployments/$id')

export function DeploymentPage() {
  const { id } = route.useParams()
  const view = route.useSearch()
  const navigate = route.useNavigate()
  const query = useSuspenseQuery(deploymentQuery(id))
  const { data: projects = [] } = useQuery(projectsQuery)
  const deployment = query.data
  const log = useDeploymentLog(id, deployment.projectId)
  const look = useCallback(
    (change: View) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false }),
    [navigate],
  )
  const project = projects.find((one) => one.id === deployment.projectId)?.name ?? ''
  const { word, tone } = shown(deployment)
  useTitle(`#${deployment.number} ${word.toLowerCase()} · ${project || 'Slipway'}`, tone)
  useToldChanges(deployment, word)
  return (
    <div className="flex min-h-[calc(100dvh-3.25rem)] flex-col md:min-h-dvh">
      <div className={`px-4 pt-6 sm:px-8 ${query.isError ? 'opacity-60' : ''}`}>
        <Stale query={query} />
        <DeploymentHead deployment={deployment} project={project} />
        <Cards deployment={deployment} log={log} look={look} />
      </div>
      <DeploymentTabs id={id} current={view.tab ?? 'log'} />
      <Side deployment={deployment} log={log} view={view} look={look} />
    </div>
  )
}

type Shown = { deployment: Deployment; log: Log | null; look(change: View): void }

/** What needs somebody, or has gone wrong. */
function Cards({ deployment, log, look }: Shown) {
  const { active, unknown, error, decision } = deployment
  return (
    <>
      <PromptPanel deployment={deployment} />
      <DecisionPanel deployment={deployment} />
      {active && unknown && <UnknownCard {...unknown} />}
      {error && decision !== 'pending' && (
        <FailureCard error={error} log={log} onShow={(line) => look({ ...ALL_LINES, tab: undefined, line })} />
      )}
    </>
  )
}

function Side({ deployment, log, view, look }: Shown & { view: View }) {
  if (view.tab === undefined) return <LogSide deployment={deployment} log={log} view={view} look={look} />
  return (
    <div className="w-full max-w-5xl p-4 sm:px-8 sm:py-6">
      {view.tab === 'services' && (
        <ServicesTable id={deployment.id} services={deployment.services} told={deployment.error?.message} />
      )}
      {view.tab === 'usage' && <UsageNow key={deployment.id} deploymentId={deployment.id} />}
      {view.tab === 'changes' && <Changes deployment={deployment} />}
    </div>
  )
}

function UnknownCard({ reason, hint }: { reason: string; hint: string }) {
  return (
    <section
      aria-label="It is not known whether it runs"
      className="mb-4 overflow-hidden rounded-xl border border-ask-mark/50 bg-surface shadow-card"
    >
      <div className="flex gap-3 border-l-3 border-ask-mark p-4">
        <HelpCircle size={18} className="mt-0.5 shrink-0 text-ask" aria-hidden />
        <div className="min-w-0 text-pretty">
          <p className="font-semibold">{reason}</p>
          <p className="mt-1 text-soft">{hint}</p>
        </div>
      </div>
    </section>
  )
}
