import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Project } from '@slipway/contract/projects'
import { Link } from '@tanstack/react-router'
import { StatusPill } from '../deployments/status-pill.tsx'
import { headline, shown } from '../deployments/words.ts'
import { Age } from '../ui/time.tsx'
import type { Tone } from '../ui/title.ts'

const BARS: Record<Tone, string> = {
  ok: 'bg-ok-mark',
  run: 'bg-run-mark under-way',
  ask: 'bg-ask-mark',
  bad: 'bg-bad-mark',
  idle: 'bg-line-strong',
}
const MOST_BARS = 24

type Props = { project: Project; active: Deployment | undefined; recent: Deployment[] }

/** `recent`: its latest, newest first, as far as they are loaded. */
export function ProjectCard({ project, active, recent }: Props) {
  const told = active ?? recent[0]
  return (
    <li className="relative flex flex-col rounded-xl border border-line bg-surface p-4 shadow-card hover:border-line-strong">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 truncate font-semibold">
          <Link
            to="/projects/$id"
            params={{ id: project.id }}
            // All of the card is the link, so the ring is around it.
            className="outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-(--ring)"
          >
            {project.name}
          </Link>
        </h3>
        <span className="ml-auto">{told && <StatusPill of={told} />}</span>
      </div>
      <p className="mt-1 truncate text-xs text-faint">{addressOf(active)}</p>
      <Bars deployments={recent.slice(0, MOST_BARS).toReversed()} />
      <p className="mt-3 flex items-center gap-2 border-t border-line pt-3 text-xs text-soft">
        <span className="truncate">{told ? headline(told) : 'Nothing deployed yet'}</span>
        <span className="ml-auto shrink-0 text-faint">{told && <Age at={told.timing.createdAt} />}</span>
      </p>
    </li>
  )
}

function addressOf(active: Deployment | undefined): string {
  if (!active) return 'No release yet'
  const [url] = active.urls
  return url ? new URL(url).host : 'Not public'
}

/** How long the last ones took, in the colours of how they ended. */
function Bars({ deployments }: { deployments: Deployment[] }) {
  const longest = Math.max(1, ...deployments.map(lasted))
  return (
    <div aria-hidden className="mt-4 flex h-9 items-end gap-1">
      {deployments.map((one) => (
        <span
          key={one.id}
          className={`max-w-2 flex-1 rounded-xs ${BARS[shown(one).tone]}`}
          style={{ height: `${Math.max(14, (lasted(one) / longest) * 100)}%` }}
        />
      ))}
    </div>
  )
}

const lasted = ({ timing: { startedAt, finishedAt } }: Deployment): number =>
  startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0
