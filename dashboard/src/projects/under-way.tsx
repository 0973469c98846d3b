import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { underWayQuery } from '../api/projects.ts'
import { StatusPill } from '../deployments/status-pill.tsx'
import { headline, stepTitle } from '../deployments/words.ts'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Elapsed } from '../ui/time.tsx'

/** What is about to change what visitors get, and what waits behind it. */
export function UnderWay({ projectId }: { projectId: string }) {
  const query = useQuery(underWayQuery(projectId))
  const all = query.data ?? []
  const waiting = all.filter(({ status }) => status === 'queued')
  const running = all.filter(({ status }) => status !== 'queued')
  return (
    <section aria-label="Under way">
      <Card>
        <h2 className="border-b border-line px-4 py-2.5 text-sm font-semibold">Under way</h2>
        {query.isLoadingError && <Refused error={query.error} className="m-3" onRetry={() => query.refetch()} />}
        {query.data && all.length === 0 && <p className="p-4 text-soft">Nothing.</p>}
        {all.length > 0 && (
          <ul className="divide-y divide-line">
            {[...running, ...waiting.slice(0, 1)].map((one) => (
              <One key={one.id} deployment={one} />
            ))}
          </ul>
        )}
        {waiting.length > 1 && (
          <p className="border-t border-line px-4 py-2 text-xs text-soft num">
            {waiting.length - 1} more {waiting.length === 2 ? 'waits' : 'wait'}
          </p>
        )}
      </Card>
    </section>
  )
}

function One({ deployment }: { deployment: Deployment }) {
  const { id, number, timing, steps, waitingOn } = deployment
  const step = steps.findLast(({ status }) => status === 'running')
  const { title, service } = step ? stepTitle(step.name) : { title: null, service: null }
  return (
    <li>
      <Link
        to="/deployments/$id"
        params={{ id }}
        data-row
        className="block px-4 py-3 outline-offset-[-2px] hover:bg-hover/60"
      >
        <span className="flex items-center gap-2">
          <StatusPill of={deployment} />
          <span className="font-medium num">#{number}</span>
          <span className="ml-auto text-xs text-soft">
            {timing.startedAt && !waitingOn && <Elapsed from={timing.startedAt} to={timing.finishedAt} />}
          </span>
        </span>
        <span className="mt-1.5 block truncate text-xs text-soft">{headline(deployment)}</span>
        {title && (
          <span className="mt-0.5 block truncate text-xs text-faint">
            {title} {service}
          </span>
        )}
      </Link>
    </li>
  )
}
