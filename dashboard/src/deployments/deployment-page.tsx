import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText, HelpCircle } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { deploymentQuery, projectsQuery } from '../api/queries.ts'
import { announce } from '../ui/announce.tsx'
import { Page } from '../ui/page.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { DecisionPanel } from './decision-panel.tsx'
import { DeploymentHead } from './deployment-head.tsx'
import { FailureCard } from './failure-card.tsx'
import { PromptPanel } from './prompt-panel.tsx'
import { ServicesTable } from './services-table.tsx'
import { StepsRail } from './steps-rail.tsx'
import { shown } from './words.ts'

const route = getRouteApi('/in/deployments/$id')

export function DeploymentPage() {
  const { id } = route.useParams()
  const query = useSuspenseQuery(deploymentQuery(id))
  const { data: projects = [] } = useQuery(projectsQuery)
  const deployment = query.data
  const project = projects.find((one) => one.id === deployment.projectId)?.name ?? ''
  const { word, tone } = shown(deployment)
  useTitle(`#${deployment.number} ${word.toLowerCase()} · ${project || 'Slipway'}`, tone)
  useToldChanges(word, deployment.number)
  return (
    <Page>
      <Stale query={query} />
      <div className={query.isError ? 'opacity-60' : ''}>
        <DeploymentHead deployment={deployment} project={project} />
        {deployment.waitingOn?.kind === 'prompt' && <PromptPanel deployment={deployment} />}
        <DecisionPanel deployment={deployment} />
        {deployment.active && deployment.unknown && <UnknownCard {...deployment.unknown} />}
        {deployment.error && deployment.decision !== 'pending' && <FailureCard error={deployment.error} />}
        <Story deployment={deployment} />
      </div>
    </Page>
  )
}

/** How it went, step by step, and what became of each service. */
function Story({ deployment: { id, steps, services, timing, error } }: { deployment: Deployment }) {
  return (
    <div className="grid gap-6 border-t border-line pt-5 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <div className="min-w-0">
        <h2 className="mb-2 text-sm font-semibold">Steps</h2>
        {steps.length > 0 ? (
          <StepsRail steps={steps} end={timing.finishedAt} />
        ) : (
          <p className="text-soft">{timing.finishedAt ? 'It ended before its first step.' : 'It has not begun yet.'}</p>
        )}
      </div>
      <div className="min-w-0">
        <div className="mb-2 flex items-center justify-between">
          <h2 className="text-sm font-semibold">Services</h2>
          <a
            href={`/api/deployments/${id}/logs?format=text`}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-1.5 text-xs font-medium text-brand hover:underline"
          >
            <FileText size={13} aria-hidden /> Log as text
          </a>
        </div>
        <ServicesTable services={services} told={error?.message} />
      </div>
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

/** Whoever only listens hears of it when the state has changed. */
function useToldChanges(word: string, number: number): void {
  const before = useRef(word)
  useEffect(() => {
    if (before.current === word) return
    before.current = word
    announce(`Deployment ${number}: ${word}.`)
  }, [word, number])
}
