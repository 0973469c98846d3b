import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery } from '@tanstack/react-query'
import { decisionQuery } from '../api/deployment.ts'
import { rollbackPlanQuery } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { type Asked, consequencesOf, gapsInWords, planInWords } from './consequences.ts'

type Props = {
  deployment: Deployment
  asking: Asked | null
  busy: boolean
  error: unknown
  onConfirm(what: Asked): void
  onClose(): void
}

const TITLES: Record<Asked, (number: number) => string> = {
  cancel: (number) => `Cancel deployment #${number}?`,
  rollback: (number) => `Roll back to #${number}?`,
  restart: (number) => `Restart the containers of #${number}?`,
  remove: (number) => `Delete deployment #${number}?`,
  keep: () => 'Keep what came up?',
  reject: () => 'Put everything back?',
}

const VERBS: Record<Asked, string> = {
  cancel: 'Cancel the deployment',
  rollback: 'Roll back',
  restart: 'Restart',
  remove: 'Delete',
  keep: 'Keep',
  reject: 'Put back',
}

const DANGEROUS = new Set<Asked>(['cancel', 'remove', 'reject'])

export function AskFirst({ deployment, asking, busy, error, onConfirm, onClose }: Props) {
  const plan = useQuery({ ...rollbackPlanQuery(deployment.id), enabled: asking === 'rollback' })
  const isDecision = asking === 'keep' || asking === 'reject'
  const { data: decision } = useQuery({ ...decisionQuery(deployment.id), enabled: isDecision })
  if (asking === null) return null
  const looked = isDecision ? gapsInWords(decision?.[asking]) : asking === 'rollback' ? planInWords(plan) : []
  return (
    <Confirm
      open
      title={TITLES[asking](deployment.number)}
      consequences={[...looked, ...consequencesOf(asking, deployment)]}
      verb={VERBS[asking]}
      danger={DANGEROUS.has(asking)}
      busy={busy}
      error={error}
      onConfirm={() => onConfirm(asking)}
      onClose={onClose}
    />
  )
}
