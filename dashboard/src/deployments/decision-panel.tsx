import type { Deployment, DeploymentService } from '@slipway/contract/deployment-shape'
import { Check, CircleHelp, CircleX } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { AskFirst } from './ask-first.tsx'
import type { Asked } from './consequences.ts'
import { useAct } from './use-act.ts'

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

function Panel({ deployment: { services, actions }, ask }: { deployment: Deployment; ask(what: Asked): void }) {
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
        </p>
        <ul className="mt-3 divide-y divide-line border-y border-line">
          {services.map((service) => (
            <CameUp key={service.name} service={service} />
          ))}
        </ul>
        <div className="mt-4 flex flex-wrap gap-2 max-sm:[&>*]:flex-1 max-sm:[&>*]:justify-center">
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

function CameUp({ service: { name, status, error } }: { service: DeploymentService }) {
  const isUp = status === 'healthy'
  const Sign = isUp ? Check : CircleX
  return (
    <li className="flex gap-3 py-2 text-xs">
      <span className="w-28 shrink-0 truncate font-medium">{name}</span>
      <span className={`inline-flex gap-1.5 ${isUp ? 'text-ok' : 'text-bad'}`}>
        <Sign size={13} className="mt-0.5 shrink-0" aria-hidden />
        {isUp ? 'Healthy' : (error?.message ?? 'Did not come up')}
      </span>
    </li>
  )
}
