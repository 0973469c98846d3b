import type { Deployment } from '@slipway/contract/deployment-shape'
import { Ban, Check, LoaderCircle, X } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { Elapsed, useNow } from '../../ui/time.tsx'
import { stepTitle } from '../words.ts'

type Step = Deployment['steps'][number]

type Props = { steps: Step[]; end: string | null; chosen: string | null; onChoose(step: string | null): void }

/** The way of a deployment, step by step, with how long each took beside the longest. One that is chosen narrows the log. */
export function StepsRail({ steps, end, chosen, onChoose }: Props) {
  const now = useNow()
  const lasted = (step: Step) =>
    Date.parse(endOf(step, end) ?? new Date(now).toISOString()) - Date.parse(step.startedAt)
  const longest = Math.max(1, ...steps.map(lasted))
  const box = useInSight(chosen ?? steps.find(({ status }) => status !== 'succeeded')?.name)
  const row = (step: Step) => ({ step, end, share: lasted(step) / longest, isChosen: chosen === step.name })
  return (
    <section aria-label="Steps" className="shrink-0 border-line max-lg:border-b lg:relative lg:w-72 lg:border-r">
      <div ref={box} className="thin-scroll max-lg:overflow-x-auto lg:absolute lg:inset-0 lg:overflow-y-auto">
        {steps.length === 0 && (
          <p className="p-4 text-soft">{end ? 'It ended before its first step.' : 'It has not begun yet.'}</p>
        )}
        <ol className="flex gap-1 p-2 lg:flex-col lg:p-3">
          {steps.map((step) => (
            <StepRow
              key={step.name}
              {...row(step)}
              onChoose={() => onChoose(chosen === step.name ? null : step.name)}
            />
          ))}
        </ol>
      </div>
    </section>
  )
}

/** Shows the step that it is about now, and moves nothing else; whoever goes through the steps by keys is left alone. */
function useInSight(name: string | undefined) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const row = box.current?.querySelector(`[data-step="${CSS.escape(name ?? '')}"]`)
    if (!box.current || !row || box.current.contains(document.activeElement)) return
    const [all, own] = [box.current.getBoundingClientRect(), row.getBoundingClientRect()]
    if (own.left < all.left || own.right > all.right)
      box.current.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2
    if (own.top < all.top || own.bottom > all.bottom)
      box.current.scrollTop += own.top + own.height / 2 - all.top - all.height / 2
  }, [name])
  return box
}

/** A step that nobody has ended ended with its deployment. */
const endOf = ({ finishedAt }: Step, end: string | null) => finishedAt ?? end

const BARS: Record<Step['status'], string> = {
  running: 'bg-run-mark under-way',
  succeeded: 'bg-ok-mark',
  failed: 'bg-bad-mark',
  cancelled: 'bg-idle-mark',
}

type RowProps = { step: Step; end: string | null; share: number; isChosen: boolean; onChoose(): void }

function StepRow({ step, end, share, isChosen, onChoose }: RowProps) {
  const { title, service } = stepTitle(step.name)
  // Its deployment is over: whatever the step says, nothing runs any more.
  const status = step.status === 'running' && end !== null ? 'cancelled' : step.status
  return (
    <li data-step={step.name} className="shrink-0">
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        className={`w-full rounded-lg px-2.5 py-2 text-left outline-offset-[-2px] max-lg:min-w-40 max-lg:max-w-64 ${isChosen ? 'bg-hover' : 'hover:bg-hover/60'}`}
      >
        <span className="flex items-center gap-2">
          <StepSign status={status} />
          <span className={`${service ? 'shrink-0' : 'truncate'} font-medium ${step.undone ? 'line-through' : ''}`}>
            {title}
          </span>
          {service && <span className="truncate text-xs text-faint">{service}</span>}
          {step.undone && <span className="text-xs text-soft">put back</span>}
          <span className="ml-auto shrink-0 pl-2 text-xs text-soft">
            <Elapsed from={step.startedAt} to={endOf(step, end)} />
          </span>
        </span>
        <span aria-hidden className="mt-2 ml-6 block h-1 overflow-hidden rounded-full bg-hover max-lg:ml-0">
          <span
            className={`block h-full rounded-full ${BARS[status]}`}
            style={{ width: `${Math.max(2, Math.min(1, share) * 100)}%` }}
          />
        </span>
      </button>
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
