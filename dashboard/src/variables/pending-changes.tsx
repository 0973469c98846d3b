import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import type { ReactNode } from 'react'
import { pendingQuery, variablesQuery } from '../api/projects.ts'
import { useMay } from '../api/use-may.ts'
import { useShip } from '../deployments/use-ship.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Refused } from '../ui/refused.tsx'
import { isNewerThan, pendingInWords } from './pending.ts'

type Props = { project: Project }

/** What the project says and the release that serves was not made with: it can be had at once, from the same source. */
export function PendingChanges({ project }: Props) {
  const { data } = useQuery(pendingQuery(project))
  const { active } = project
  // What was said of the release before is nothing about this one.
  if (!active || data?.release?.id !== active.id) return null
  if (data.variables === null) return <SinceOld project={project} active={active} />
  if (data.variables.length === 0) return null
  return (
    <DeployNow project={project} active={active}>
      Variables differ from what #{active.number} serves with: {pendingInWords(data.variables)}.
    </DeployNow>
  )
}

type NowProps = Props & { active: NonNullable<Project['active']> }

function SinceOld({ project, active }: NowProps) {
  const { data } = useQuery(variablesQuery(project.id))
  if (!data?.some((one) => isNewerThan(active, one))) return null
  return (
    <DeployNow project={project} active={active}>
      Variables were changed since #{active.number}, which serves without the change.
    </DeployNow>
  )
}

function DeployNow({ project, active: { id, number }, children }: NowProps & { children: ReactNode }) {
  const ship = useShip(project.id)
  const reason = useMay()('deployment:write')
  return (
    <div role="status" className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-run-tint px-4 py-2.5">
      <p className="min-w-0 flex-1 basis-60 text-run text-pretty break-words">{children}</p>
      <GatedButton
        size="sm"
        reason={reason}
        busy={ship.isPending}
        onClick={() => ship.mutate({ kind: 'again', deploymentId: id })}
      >
        <Rocket size={14} aria-hidden /> Deploy #{number}’s source with them now
      </GatedButton>
      <Refused error={ship.error} className="basis-full" />
    </div>
  )
}
