import type { VerifiedStep, VerifyStep } from '@slipway/contract/backup-destinations'
import { Check, Circle, CircleX } from 'lucide-react'
import { durationInWords } from '../ui/in-words.ts'

/** In the order in which they are done. */
const STEPS: readonly VerifyStep[] = ['connect', 'auth', 'write', 'read', 'delete']

type Props = { steps: VerifiedStep[] | null; isRunning: boolean }

/** What a check does, and how long each took the last time. The server tells all of them at the end, so none is shown as done before. */
export function VerifySteps({ steps, isRunning }: Props) {
  if (isRunning)
    return (
      <p className="under-way rounded text-soft" role="status">
        Writing, reading back and deleting a probe. This takes up to 20 seconds.
      </p>
    )
  return (
    <ol aria-label="What the last check did" className="flex flex-wrap gap-x-5 gap-y-1.5">
      {shownOf(steps).map((name) => (
        <Step key={name} name={name} found={steps?.find(({ step }) => step === name)} />
      ))}
    </ol>
  )
}

/** Not every kind has every step: where it went well there are no others, and where it did not those behind it were not reached. */
function shownOf(steps: VerifiedStep[] | null): readonly VerifyStep[] {
  if (steps === null) return STEPS
  const broke = STEPS.indexOf(steps.find(({ ok }) => !ok)?.step ?? 'delete')
  return STEPS.filter((name, at) => at > broke || steps.some(({ step }) => step === name))
}

function Step({ name, found }: { name: VerifyStep; found: VerifiedStep | undefined }) {
  return (
    <li className={`flex items-center gap-1.5 ${found ? '' : 'text-faint'}`}>
      {!found && <Circle size={13} role="img" aria-label="not done" />}
      {found?.ok === true && <Check size={14} className="text-ok" role="img" aria-label="done" />}
      {found?.ok === false && <CircleX size={14} className="text-bad" role="img" aria-label="failed" />}
      {name}
      {found && <span className="text-xs text-faint num">{durationInWords(found.ms)}</span>}
    </li>
  )
}
