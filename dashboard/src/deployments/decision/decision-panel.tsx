import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { decisionQuery } from '../../api/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { AskFirst } from '../ask-first.tsx'
import type { Asked } from '../consequences.ts'
import { useAct } from '../use-act.ts'
import { Outcomes } from './outcomes.tsx'

/** Some services came up and some did not: both ways out. The dialog outlives the panel, so that a "no" can be read. */
export function DecisionPanel({ deployment }: { deployment: Deployment }) {
  const [asking, setAsking] = useState<Asked | null>(null)
  const act = useAct(deployment.id, () => setAsking(null))
  const ask = (what: Asked) => {
    act.begin()
    setAsking(what)
  }
  return (
    <>
      {deployment.decision === 'pending' && <Panel deployment={deployment} ask={ask} />}
      <AskFirst
        deployment={deployment}
        asking={asking}
        busy={act.isPending}
        error={act.error}
        onConfirm={(what) => act.mutate(what)}
        onClose={() => setAsking(null)}
      />
    </>
  )
}

function Panel({ deployment, ask }: { deployment: Deployment; ask(what: Asked): void }) {
  const { id, services, actions } = deployment
  const { data: decision } = useQuery(decisionQuery(id))
  const up = services.filter(({ status }) => status === 'healthy').length
  const verdict = actions.decide
  return (
    <section
      aria-label="A decision is needed"
      className="mb-4 overflow-hidden rounded-xl border border-ask-mark/50 bg-surface shadow-card"
    >
      <div className="border-l-3 border-ask-mark p-4">
        <h2 className="flex items-center gap-2 font-semibold">
          <CircleHelp size={17} className="shrink-0 text-ask" aria-hidden />
          {up} of {services.length} services came up. Keep them?
        </h2>
        <p className="mt-1 max-w-prose text-soft text-pretty">
          Newer deployments of this project wait for your decision.
          {decision?.unreachable &&
            ` Its server cannot be asked now, so this is as it was written down. ${decision.reason ?? ''}`}
        </p>
        <Outcomes deployment={deployment} decision={decision} />
        <div className="mt-4 flex flex-wrap gap-2 max-sm:flex-col max-sm:[&>*]:justify-center">
          <Button look="primary" disabled={!verdict?.allowed} onClick={() => ask('keep')}>
            Keep what came up
          </Button>
          <Button disabled={!verdict?.allowed} onClick={() => ask('reject')}>
            Put everything back
          </Button>
        </div>
        {verdict?.reason && <p className="mt-2 text-xs text-soft">{verdict.reason}</p>}
      </div>
    </section>
  )
}
