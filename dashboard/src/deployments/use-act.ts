import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { newActKey } from '../api/act-key.ts'
import { api } from '../api/client.ts'

export type Act =
  | 'build'
  | 'cancel'
  | 'redeploy'
  | 'redeploySame'
  | 'rollback'
  | 'restart'
  | 'pin'
  | 'unpin'
  | 'remove'
  | 'keep'
  | 'reject'

/**
 * Does something to a deployment. What it answers with is shown next, and nothing before it: no state is ever guessed here.
 * Each act has a key from when it was asked for, so that a second click is the same act.
 */
export function useAct(id: string, onDone: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const key = useRef(newActKey())
  const act = useMutation({
    mutationFn: (what: Act) => send(what, id, { 'idempotency-key': key.current }),
    onSuccess: (next) => {
      onDone()
      if (next === 'gone') void navigate({ to: '/deployments' })
      else if (next !== id) void navigate({ to: '/deployments/$id', params: { id: next } })
    },
    onSettled: () => {
      for (const queryKey of [['deployment', id], ['deployments'], ['overview']])
        void client.invalidateQueries({ queryKey })
    },
  })
  /** Called when somebody begins to think about it. */
  const begin = () => {
    key.current = newActKey()
    act.reset()
  }
  return { ...act, begin }
}

/** The deployment to look at afterwards. */
async function send(what: Act, id: string, headers: Record<string, string>): Promise<string> {
  const call = { params: { id }, headers }
  switch (what) {
    case 'redeploy':
    case 'redeploySame': {
      const body = { useExistingCommit: what === 'redeploySame' }
      return (await api.deployments.redeploy({ ...call, body })).deployment_id
    }
    case 'rollback':
      return (await api.deployments.rollback(call)).deployment_id
    case 'pin':
    case 'unpin':
      return (await api.deployments.pin({ ...call, body: { pinned: what === 'pin' } })).deployment.id
    case 'build':
      await api.deployments.startBuild(call)
      return id
    case 'remove':
      await api.deployments.remove({ params: { id } })
      return 'gone'
    default:
      return (await api.deployments[what](call)).deployment.id
  }
}
