import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Project } from '@slipway/contract/projects'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { ChevronDown, FolderUp, GitCommitHorizontal, History, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { lastQuery } from '../api/projects.ts'
import { activeOfQuery, deploymentQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useShip } from '../deployments/use-ship.ts'
import { Button } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Refused } from '../ui/refused.tsx'
import { GoBack } from './go-back.tsx'

/** Every way to ship it; what does not go now stands there with its reason. */
export function DeployMenu({ project }: { project: Project }) {
  const { deploy, items } = useDeploy(project)
  const before = useReleaseBefore(project.id)
  const [goingTo, setGoingTo] = useState<Deployment | null>(null)
  const back: MenuItem = {
    label: before ? `Go back to #${before.number}` : 'Go back',
    icon: <History size={14} />,
    reason: whyNoWayBack(before),
    onSelect: () => setGoingTo(before),
  }
  return (
    <div className="flex flex-col items-end gap-2">
      <Menu
        items={[...items, back]}
        trigger={
          <Button look="primary" busy={deploy.isPending}>
            Deploy <ChevronDown size={14} aria-hidden />
          </Button>
        }
      />
      <Refused error={deploy.error} className="max-w-md" />
      {goingTo && <GoBack to={goingTo} onClose={() => setGoingTo(null)} />}
    </div>
  )
}

function useDeploy({ id, repository, branch }: Project) {
  const { history } = useRouter()
  const may = useMay()
  const { data } = useInfiniteQuery(lastQuery(id))
  const newest = data?.pages[0]?.data[0]
  const deploy = useShip(id)
  const refused = may('deployment:write')
  const items: MenuItem[] = [
    {
      label: branch ? `Latest commit of ${branch}` : 'Latest commit',
      icon: <GitCommitHorizontal size={14} />,
      reason: refused ?? (repository ? null : 'No repository is linked. Name one in the settings.'),
      onSelect: () => deploy.mutate({ kind: 'commit' }),
    },
    {
      label: 'A folder',
      icon: <FolderUp size={14} />,
      reason: refused,
      onSelect: () => history.push(`/new?project=${id}`),
    },
    {
      label: newest ? againInWords(newest) : 'The same source again',
      icon: <RefreshCw size={14} />,
      reason: refused ?? whyNot(newest !== undefined, newest?.actions.redeploy),
      onSelect: () => newest && deploy.mutate({ kind: 'again', deploymentId: newest.id }),
    },
  ]
  return { deploy, items }
}

/** Only its source is as it was. Who would send the same failure again is told. */
const againInWords = ({ number, status }: Deployment) =>
  `#${number}’s source again, with today’s variables${status === 'failed' ? ' (failed)' : ''}`

/** The release whose place was taken by the one that serves. */
function useReleaseBefore(projectId: string): Deployment | null {
  const { data: active } = useQuery(activeOfQuery(projectId))
  const id = active?.previous?.number == null ? null : active.previous.id
  const { data } = useQuery({ ...deploymentQuery(id ?? ''), enabled: id !== null, refetchInterval: false })
  return (id !== null && data) || null
}

const whyNoWayBack = (before: Deployment | null): string | null =>
  before === null ? 'There is no release before the one that serves.' : whyNot(true, before.actions.rollback)

function whyNot(isThere: boolean, verdict: { allowed: boolean; reason: string | null } | undefined): string | null {
  if (!isThere) return 'Nothing was deployed yet.'
  return verdict?.allowed ? null : (verdict?.reason ?? 'This cannot be done now.')
}
