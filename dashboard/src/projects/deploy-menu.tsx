import type { Project } from '@slipway/contract/projects'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { ChevronDown, FolderUp, GitCommitHorizontal, RefreshCw } from 'lucide-react'
import { api } from '../api/client.ts'
import { lastQuery } from '../api/projects.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Refused } from '../ui/refused.tsx'

type Way = { kind: 'commit' } | { kind: 'again'; deploymentId: string }

/** Every way to ship it; what does not go now stands there with its reason. */
export function DeployMenu({ project }: { project: Project }) {
  const { deploy, items } = useDeploy(project)
  return (
    <div className="flex flex-col items-end gap-2">
      <Menu
        items={items}
        trigger={
          <Button look="primary" busy={deploy.isPending}>
            Deploy <ChevronDown size={14} aria-hidden />
          </Button>
        }
      />
      <Refused error={deploy.error} className="max-w-md" />
    </div>
  )
}

function useDeploy({ id, repository, branch }: Project) {
  const navigate = useNavigate()
  const { history } = useRouter()
  const may = useMay()
  const { data } = useInfiniteQuery(lastQuery(id))
  const newest = data?.pages[0]?.data[0]
  const deploy = useWrite({
    send: async (way: Way, headers) =>
      way.kind === 'commit'
        ? (await api.deployments.create({ body: { projectId: id }, headers })).deployment_id
        : (
            await api.deployments.redeploy({
              params: { id: way.deploymentId },
              body: { useExistingCommit: true },
              headers,
            })
          ).deployment_id,
    refresh: [['deployments'], ['overview'], ['project', id]],
    onDone: (made) => void navigate({ to: '/deployments/$id', params: { id: made } }),
  })
  const refused = may('deployment:write')
  const again = newest?.actions.redeploy
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
      label: newest ? `#${newest.number} again, as it was` : 'The same again',
      icon: <RefreshCw size={14} />,
      reason: refused ?? whyNot(newest !== undefined, again),
      onSelect: () => newest && deploy.mutate({ kind: 'again', deploymentId: newest.id }),
    },
  ]
  return { deploy, items }
}

function whyNot(isThere: boolean, verdict: { allowed: boolean; reason: string | null } | undefined): string | null {
  if (!isThere) return 'Nothing was deployed yet.'
  return verdict?.allowed ? null : (verdict?.reason ?? 'This cannot be done now.')
}
