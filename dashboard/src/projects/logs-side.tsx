import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { RuntimeLog, type RuntimeLook } from '../logs/runtime-log.tsx'

const route = getRouteApi('/in/projects/$id')

/** What its services print. What is looked for stands in the address, so that it can be sent to somebody. */
export function LogsSide({ projectId }: { projectId: string }) {
  const { tab: _, ...look } = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (part: RuntimeLook) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false }),
    [navigate],
  )
  return <RuntimeLog projectId={projectId} look={look} onLook={change} className="h-[max(28rem,calc(100dvh-18rem))]" />
}
