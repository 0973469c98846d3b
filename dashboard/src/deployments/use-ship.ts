import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { useWrite } from '../api/use-write.ts'

/** `again`: the source of that deployment, with the variables and settings that the project has now. */
type Way = { kind: 'commit' } | { kind: 'again'; deploymentId: string }

/** Deploys a project from what there is already, and shows the deployment that it became. */
export function useShip(projectId: string) {
  const navigate = useNavigate()
  return useWrite({
    send: async (way: Way, headers) => (await send(projectId, way, headers)).deployment_id,
    refresh: [['deployments'], ['overview'], ['project', projectId]],
    onDone: (made) => void navigate({ to: '/deployments/$id', params: { id: made } }),
  })
}

function send(projectId: string, way: Way, headers: { 'idempotency-key': string }) {
  if (way.kind === 'commit') return api.deployments.create({ body: { projectId }, headers })
  return api.deployments.redeploy({ params: { id: way.deploymentId }, body: { useExistingCommit: true }, headers })
}
