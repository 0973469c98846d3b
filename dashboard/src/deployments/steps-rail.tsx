import type { Deployment } from '@slipway/contract/deployment-shape'
import { Ban, Check, LoaderCircle, X } from 'lucide-react'
import { Elapsed, useNow } from '../ui/time.tsx'
import { stepTitle } from './words.ts'

type Step = Deployment['steps'][number]

/** The way of a deployment, step by step, with how long each took beside the longest. */
export function StepsRail({ steps, end }: { steps: Step[]; end: string | null }) {
  const now = useNow()
  const lasted = (step: Step) =>
    Date.parse(endOf(step, end) ?? new Date(now).toISOString()) - Date.parse(step.startedAt)
  const longest = Math.max(1, ...steps.map(lasted))
  return (
    <section aria-label="Steps">
      <ol
        className="thin-scroll flex gap-1 max-lg:overflow-x-auto max-lg:pb-1 lg:flex-col"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is a row to swipe, keys must be able to move it
        tabIndex={0}
      >
        {steps.map((step) => (
          <StepRow key={step.name} step={step} end={end} share={lasted(step) / longest} />
        ))}
      </ol>
    </section>
  )
}

/** A step that nobody has ended ended with its deployment. */
const endOf = ({ finishedAt }: Step, end: string | null) => finishedAt ?? end

const BARS: Record<Step['status'], string> = {
  running: 'bg-run-mark under-way',
  succeeded: 'bg-ok-mark',
  failed: 'bg-bad-mark',
  cancelled: 'bg-idle-mark',
}

function StepRow({ step, end, share }: { step: Step; end: string | null; share: number }) {
  const { title, service } = stepTitle(step.name)
  // Its deployment is over: whatever the step says, nothing runs any more.
  const status = step.status === 'running' && end !== null ? 'cancelled' : step.status
  return (
    <li className="shrink-0 rounded-lg px-2.5 py-2 max-lg:min-w-40">
      <p className="flex items-center gap-2">
        <StepSign status={status} />
        <span className="truncate font-medium">{title}</span>
        {service && <span className="truncate text-xs text-faint">{service}</span>}
        <span className="ml-auto shrink-0 pl-2 text-xs text-soft">
          <Elapsed from={step.startedAt} to={endOf(step, end)} />
        </span>
      </p>
      <span aria-hidden className="mt-2 ml-6 block h-1 overflow-hidden rounded-full bg-hover max-lg:ml-0">
        <span
          className={`block h-full rounded-full ${BARS[status]}`}
          style={{ width: `${Math.max(2, Math.min(1, share) * 100)}%` }}
        />
      </span>
    </li>
  )
}

function StepSign({ status }: { status: Step['status'] }) {
  const look = 'grid size-4 shrink-0 place-items-center rounded-full'
  if (status === 'running')
    return (
      <LoaderCircle
        size={16}
        className="shrink-0 animate-spin text-run [animation-duration:1.6s]"
        aria-label="running"
      />
    )
  const [tone, Drawn] = SIGNS[status]
  return (
    <span className={`${look} ${tone}`}>
      <Drawn size={11} strokeWidth={3} aria-label={status} />
    </span>
  )
}

const SIGNS = {
  succeeded: ['bg-ok-tint text-ok', Check],
  failed: ['bg-bad-tint text-bad', X],
  cancelled: ['bg-idle-tint text-idle', Ban],
} as const
