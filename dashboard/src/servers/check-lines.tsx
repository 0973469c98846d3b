import type { ServerCheck } from '@slipway/contract/servers'
import { CircleAlert, CircleCheck, CircleHelp, CircleX } from 'lucide-react'

const SIGNS = { ok: CircleCheck, warning: CircleAlert, failed: CircleX, unknown: CircleHelp }
const TONES = { ok: 'text-ok', warning: 'text-ask', failed: 'text-bad', unknown: 'text-idle' }

/** What a check found, line by line, and what to do about it. */
export const CheckLines = ({ checks }: { checks: ServerCheck[] }) => (
  <ul className="space-y-1.5">
    {checks.map((line) => (
      <CheckLine key={line.name} line={line} />
    ))}
  </ul>
)

function CheckLine({ line: { name, state, found, fix } }: { line: ServerCheck }) {
  const Sign = SIGNS[state]
  return (
    <li className="flex gap-2 text-xs">
      <Sign size={14} className={`mt-px shrink-0 ${TONES[state]}`} aria-label={state} />
      <span className="min-w-0 break-words text-soft">
        <span className="font-medium text-ink">{name}</span> {found}
        {fix && <span className="block text-ink">{fix}</span>}
      </span>
    </li>
  )
}
