import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { underWayQuery } from '../../api/projects.ts'
import { activeOfQuery } from '../../api/queries.ts'
import { useWrite } from '../../api/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { waitingBehind } from '../consequences.ts'
import { type Answer, answerInWords } from './answer-words.ts'

/** It waits for somebody's yes before it goes on. The dialog outlives the panel, so that a "no" of the server can be read. */
export function PromptPanel({ deployment }: { deployment: Deployment }) {
  const { id, projectId, waitingOn } = deployment
  const [asking, setAsking] = useState<Answer | null>(null)
  const enabled = asking !== null
  const { data: before } = useQuery({ ...activeOfQuery(projectId), enabled })
  const { data: underWay = [] } = useQuery({ ...underWayQuery(projectId), enabled })
  const respond = useWrite({
    send: (body: Answer, headers) => api.deployments.respond({ params: { id }, body, headers }),
    refresh: [['deployment', id], ['deployments'], ['overview']],
    onDone: () => setAsking(null),
  })
  const ask = (action: Answer['action']) => {
    respond.begin()
    setAsking({ promptId: waitingOn?.promptId ?? '', action })
  }
  return (
    <>
      {waitingOn?.kind === 'prompt' && <Panel deployment={deployment} ask={ask} />}
      {asking && (
        <Confirm
          open
          {...answerInWords(asking, deployment, { before, waiting: waitingBehind(underWay, id) })}
          danger={asking.action === 'reject'}
          busy={respond.isPending}
          error={respond.error}
          onConfirm={() => respond.mutate(asking)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

type PanelProps = { deployment: Deployment; ask(action: Answer['action']): void }

function Panel({ deployment: { waitingOn, actions }, ask }: PanelProps) {
  const isOpen = actions.respond?.allowed === true
  return (
    <section
      aria-label="It waits for an answer"
      className="mb-4 overflow-hidden rounded-xl border border-ask-mark/50 bg-surface shadow-card"
    >
      <div className="border-l-3 border-ask-mark p-4">
        <h2 className="flex items-center gap-2 font-semibold">
          <CircleHelp size={17} className="shrink-0 text-ask" aria-hidden />
          {waitingOn?.message}
        </h2>
        <div className="mt-4 flex flex-wrap gap-2">
          <Button look="primary" disabled={!isOpen} onClick={() => ask('approve')}>
            Approve
          </Button>
          <Button disabled={!isOpen} onClick={() => ask('reject')}>
            Decline
          </Button>
        </div>
        {!isOpen && <p className="mt-2 text-xs text-soft">{actions.respond?.reason}</p>}
      </div>
    </section>
  )
}
