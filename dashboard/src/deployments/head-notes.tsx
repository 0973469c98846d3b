import type { Deployment } from '@slipway/contract/deployment-shape'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Age, useNow } from '../ui/time.tsx'

/** What else is known of it: that it is watched, who decided, what it brings back or gave way to. */
export function HeadNotes({ deployment }: { deployment: Deployment }) {
  const { bakesUntil, decision, decidedBy, cancelledBy, rollbackOf, supersededBy, queue } = deployment
  return (
    <>
      {queue && <Queued queue={queue} />}
      {bakesUntil && <Baking until={bakesUntil} />}
      {decidedBy && decision !== 'pending' && (
        <Note>
          {decision === 'rejected' ? 'Put back by' : 'Kept by'} {decidedBy.name}, <Age at={decidedBy.at} />.
        </Note>
      )}
      {cancelledBy && (
        <Note>
          Cancelled by {cancelledBy.name}, <Age at={cancelledBy.at} />.
        </Note>
      )}
      {rollbackOf && <Other of={rollbackOf} said="It brings back" />}
      {supersededBy && <Other of={supersededBy} said="It gave way to" />}
    </>
  )
}

const Note = ({ children }: { children: ReactNode }) => <span className="text-xs text-soft">{children}</span>

/** Of a project one thing is done at a time. */
function Queued({ queue: { position, ahead } }: { queue: NonNullable<Deployment['queue']> }) {
  const [first] = ahead
  if (first) return <Other of={first} said="It waits for" />
  return (
    <Note>{position > 1 ? 'Its project has something else to do first.' : 'It begins as soon as there is room.'}</Note>
  )
}

/** Counts down while it is watched; afterwards there is nothing to say. */
function Baking({ until }: { until: string }) {
  const seconds = Math.ceil((Date.parse(until) - useNow()) / 1000)
  if (seconds <= 0) return null
  return (
    <Note>
      Watching for <span className="num">{seconds} s</span>, then it counts as stable.
    </Note>
  )
}

function Other({ of, said }: { of: { id: string; number: number | null }; said: string }) {
  if (of.number === null) return <Note>{said} one that was deleted.</Note>
  return (
    <Note>
      {said}{' '}
      <Link
        to="/deployments/$id"
        params={{ id: of.id }}
        className="font-medium text-ink underline underline-offset-2 num"
      >
        #{of.number}
      </Link>
      .
    </Note>
  )
}
