import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { activeOfQuery } from '../api/queries.ts'

/** Which release is the active one, where it is another: as the API has it, and nothing derived from it. */
export function ReleaseNote({ deployment }: { deployment: Deployment }) {
  const { data: active } = useQuery(activeOfQuery(deployment.projectId))
  if (deployment.active || active === undefined || active?.id === deployment.id) return null
  if (active === null) return <span className="text-xs text-soft">The project has no active release yet.</span>
  return (
    <span className="text-xs text-soft">
      The active release is{' '}
      <Link
        to="/deployments/$id"
        params={{ id: active.id }}
        className="font-medium text-ink underline underline-offset-2 num"
      >
        #{active.number}
      </Link>
      .
    </span>
  )
}
