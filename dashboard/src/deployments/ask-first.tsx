import type { Deployment } from '@slipway/contract/deployment-shape'
import { useQuery } from '@tanstack/react-query'
import { decisionQuery } from '../api/deployment.ts'
import { projectQuery, underWayQuery } from '../api/projects.ts'
import { activeOfQuery, rollbackPlanQuery } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { type Asked, consequencesOf, gapsInWords, planInWords, waitingBehind } from './consequences.ts'

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
  unpin: (number) => `Unpin deployment #${number}?`,
  remove: (number) => `Delete deployment #${number}?`,
  keep: () => 'Keep what came up?',
  reject: () => 'Put everything back?',
}

const VERBS: Record<Asked, string> = {
  cancel: 'Cancel the deployment',
  rollback: 'Roll back',
  restart: 'Restart',
  unpin: 'Unpin',
  remove: 'Delete',
  keep: 'Keep',
  reject: 'Put back',
}

const DANGEROUS = new Set<Asked>(['cancel', 'remove', 'reject'])

export function AskFirst({ deployment, asking, busy, error, onConfirm, onClose }: Props) {
  const plan = useQuery({ ...rollbackPlanQuery(deployment.id), enabled: asking === 'rollback' })
  const { decision, ...known } = useKnown(deployment, asking)
  if (asking === null) return null
  const isDecision = asking === 'keep' || asking === 'reject'
  const looked = isDecision ? gapsInWords(decision?.[asking]) : asking === 'rollback' ? planInWords(plan) : []
  return (
    <Confirm
      open
      title={TITLES[asking](deployment.number)}
      consequences={[...looked, ...consequencesOf(asking, deployment, known)]}
      verb={VERBS[asking]}
      danger={DANGEROUS.has(asking)}
      busy={busy}
      error={error}
      onConfirm={() => onConfirm(asking)}
      onClose={onClose}
    />
  )
}

/** What is asked for only when somebody thinks about it. */
function useKnown({ id, projectId }: Deployment, asking: Asked | null) {
  const enabled = asking !== null
  const isDecision = asking === 'keep' || asking === 'reject'
  const { data: before } = useQuery({ ...activeOfQuery(projectId), enabled })
  const { data: decision } = useQuery({ ...decisionQuery(id), enabled: isDecision })
  const { data: underWay = [] } = useQuery({ ...underWayQuery(projectId), enabled: isDecision })
  const { data: project } = useQuery({ ...projectQuery(projectId), enabled: asking === 'rollback' })
  const isPushed = project !== undefined && project.repository !== null && project.settings.autoDeploy
  const pushes = project?.autoDeployPaused && isPushed ? 'paused' : isPushed ? 'deploy' : 'never'
  return { before, decision, fates: decision?.services, waiting: waitingBehind(underWay, id), pushes } as const
}
