import type { Deployment } from '@slipway/contract/deployment-shape'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { api } from '../../api/client.ts'
import { promptQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/refused.tsx'

/** It waits for somebody's yes before it goes on. */
export function PromptPanel({ deployment: { id, actions } }: { deployment: Deployment }) {
  const { data: prompt } = useQuery(promptQuery(id))
  const client = useQueryClient()
  const respond = useMutation({
    mutationFn: ({ promptId, action }: { promptId: string; action: 'approve' | 'reject' }) =>
      api.deployments.respond({ params: { id }, body: { promptId, action } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['deployment', id] }),
  })
  if (!prompt) return null
  const isOpen = actions.respond?.allowed === true
  const answer = (action: 'approve' | 'reject') => respond.mutate({ promptId: prompt.promptId, action })
  return (
    <section
      aria-label="It waits for an answer"
      className="mb-4 overflow-hidden rounded-xl border border-ask-mark/50 bg-surface shadow-card"
    >
      <div className="border-l-3 border-ask-mark p-4">
        <h2 className="flex items-center gap-2 font-semibold">
          <CircleHelp size={17} className="shrink-0 text-ask" aria-hidden />
          {prompt.message}
        </h2>
        <Refused error={respond.error} className="mt-3" />
        <div className="mt-4 flex flex-wrap gap-2">
          <Button look="primary" disabled={!isOpen} busy={respond.isPending} onClick={() => answer('approve')}>
            Approve
          </Button>
          <Button disabled={!isOpen} busy={respond.isPending} onClick={() => answer('reject')}>
            Decline
          </Button>
        </div>
        {!isOpen && <p className="mt-2 text-xs text-soft">{actions.respond?.reason}</p>}
      </div>
    </section>
  )
}
