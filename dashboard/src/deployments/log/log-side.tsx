import type { Deployment } from '@slipway/contract/deployment-shape'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { LogView } from '../../logs/log-view.tsx'
import type { Log } from '../../logs/open-log.ts'
import { Button } from '../../ui/button.tsx'
import { linesOfStep, type View } from '../view.ts'
import { stepTitle } from '../words.ts'
import { StepsRail } from './steps-rail.tsx'

type Props = { deployment: Deployment; log: Log | null; view: View; look(change: View): void }

/** How it went, step by step, and what was printed on the way. */
export function LogSide({ deployment, log, view, look }: Props) {
  const { id, steps, services, timing, decision } = deployment
  const ofStep = useMemo(() => linesOfStep(view.step), [view.step])
  const isRunning = timing.finishedAt === null && decision !== 'pending'
  return (
    <div className="flex flex-1 flex-col lg:min-h-[21rem] lg:flex-row">
      <StepsRail
        steps={steps}
        end={timing.finishedAt}
        chosen={view.step ?? null}
        onChoose={(step) => look({ step: step ?? undefined, service: undefined, line: undefined })}
      />
      <div className="flex min-h-[max(24rem,70dvh)] min-w-0 flex-1 flex-col lg:min-h-0">
        <Narrowed view={view} onAll={() => look({ step: undefined, service: undefined })} />
        {log && (
          <LogView
            key={id}
            log={log}
            steps={ofStep.steps}
            service={view.service ?? ofStep.service}
            look={view}
            isNumbered
            hasServices={services.length > 1}
            follow={isRunning}
            textUrl={`/api/deployments/${id}/logs?format=text`}
            ended={<PrintedNothing deployment={deployment} />}
            onLook={look}
          />
        )}
      </div>
    </div>
  )
}

/** What is printed while it serves is no part of how it came to be; it stands elsewhere. */
function PrintedNothing({ deployment: { projectId, status, rollbackOf } }: { deployment: Deployment }) {
  if (status !== 'ready') return 'Nothing was printed.'
  return (
    <>
      {rollbackOf ? 'Going back printed nothing.' : 'The build printed nothing.'} What the services print is in the{' '}
      <Link
        to="/projects/$id"
        params={{ id: projectId }}
        search={{ tab: 'logs' }}
        className="font-medium text-brand underline underline-offset-4"
      >
        logs of the project
      </Link>
      .
    </>
  )
}

/** What is left out is said, with the way back. */
function Narrowed({ view: { step, service }, onAll }: { view: View; onAll(): void }) {
  if (step === undefined && service === undefined) return null
  const { title, service: of } = stepTitle(step ?? '')
  const said = [title, service ?? of].filter(Boolean).join(' ')
  return (
    <p className="flex items-center gap-2 border-b border-line bg-run-tint px-3 py-1 text-xs text-run">
      <span className="min-w-0 truncate">
        Only lines of <b className="font-semibold">{said}</b>
      </span>
      <Button look="quiet" size="sm" className="ml-auto" onClick={onAll}>
        <X size={13} aria-hidden /> Show all
      </Button>
    </p>
  )
}
