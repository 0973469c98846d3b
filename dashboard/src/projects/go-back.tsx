import type { Deployment } from '@slipway/contract/deployment-shape'
import { AskFirst } from '../deployments/ask-first.tsx'
import { useAct } from '../deployments/use-act.ts'

type Props = { to: Deployment; onClose(): void }

/** The same question as on the page of that deployment. */
export function GoBack({ to, onClose }: Props) {
  const act = useAct(to.id, onClose)
  return (
    <AskFirst
      deployment={to}
      asking="rollback"
      busy={act.isPending}
      error={act.error}
      onConfirm={(what) => act.mutate(what)}
      onClose={onClose}
    />
  )
}
