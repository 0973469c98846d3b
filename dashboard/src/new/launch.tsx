import type { Prepare } from '@slipway/contract/prepare'
import type { Project } from '@slipway/contract/projects'
import type { Server } from '@slipway/contract/servers'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { preparationQuery } from '../api/new.ts'
import { serversQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Caution } from '../ui/tag.tsx'
import type { Draft } from './draft.ts'
import { PlaceRows } from './place-rows.tsx'
import { PlanHead } from './plan-head.tsx'
import { PlanRows } from './plan-rows.tsx'
import { problemsOf } from './problems-of.ts'
import { type Source, toPrepare, usualName } from './source.ts'
import { useDeploy } from './use-deploy.ts'
import { VariableRows } from './variable-rows.tsx'

type Props = {
  source: Source
  project: Project | null
  /** The address names a project; it may not be known yet. */
  isFor: boolean
}

/** The plan as the server sees it, what somebody wants otherwise, and the one button that makes something of it. */
export function Launch({ source, project, isFor }: Props) {
  const body = toPrepare(source)
  const plan = useQuery({ ...preparationQuery(body ?? ({} as Prepare)), enabled: body !== null })
  const { data: servers } = useQuery(serversQuery)
  const [said, setDraft] = useState<Draft>(() => begun(source))
  const draft = { ...said, serverId: said.serverId ?? project?.serverId ?? usualServer(servers) }
  const deploy = useDeploy()
  const reason = useReason(servers?.length, isFor && project === null)
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const found = plan.data ?? null
  const problems = problemsOf(deploy.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!deploy.isPending && reason === null) deploy.mutate({ source, plan: found, draft, project })
  }
  if (body !== null && plan.isPending) return <Bones rows={5} />
  return (
    <form onSubmit={submit}>
      <Card>
        {plan.isError ? (
          <Refused error={plan.error} className="m-4" onRetry={() => plan.refetch()} />
        ) : (
          <PlanHead plan={found} source={source} />
        )}
        <div className="divide-y divide-line border-t border-line">
          <PlanRows plan={found} source={source} draft={draft} problems={problems.at} onChange={change} />
          <VariableRows
            variables={draft.variables}
            problem={problems.at.variables}
            onChange={(variables) => change({ variables })}
          />
          <PlaceRows
            draft={draft}
            project={project ?? deploy.made}
            servers={servers}
            problems={problems.at}
            onChange={change}
          />
        </div>
      </Card>
      {/* In sight however many rows there are. */}
      <div data-bar className="sticky bottom-0 -mx-2 mt-2 space-y-3 bg-canvas px-2 py-3">
        {deploy.made && deploy.error && (
          <Caution>{`The project ${deploy.made.name} is made. It has not been deployed.`}</Caution>
        )}
        <Refused error={problems.rest} />
        <div className="flex justify-end">
          <GatedButton type="submit" look="primary" size="lg" busy={deploy.isPending} reason={reason}>
            Deploy
          </GatedButton>
        </div>
      </div>
    </form>
  )
}

/** One that was found to be right goes before one that nobody has looked at. */
const usualServer = (servers: Server[] = []): string | null =>
  (servers.find(({ lastReport }) => lastReport?.ok) ?? servers[0])?.id ?? null

const begun = (source: Source): Draft => ({
  name: usualName(source),
  edits: {},
  variables: source.kind === 'folder' ? source.folder.variables.map((name) => ({ name, value: '' })) : [],
  serverId: null,
  label: '',
})

function useReason(servers: number | undefined, isUnknown: boolean): string | null {
  const may = useMay()
  if (isUnknown) return 'The project of this address is not there, or not yours to see.'
  if (servers === 0) return 'There is no server to run it on yet.'
  return may('project:write') ?? may('deployment:write')
}
