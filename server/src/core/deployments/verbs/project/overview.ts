import type { Attention, Overview } from '@slipway/contract/overview'
import type { Caller } from '../../../access/caller.ts'
import type { BaseParts } from '../../../parts.ts'
import * as servers from '../../../servers/store.ts'
import { type Concern, concerns, counts } from '../../rows/overview-store.ts'

const MOST = 50

export async function showOverview({ db }: Pick<BaseParts, 'db'>, caller: Caller): Promise<Overview> {
  const { total, serving, queued, running, waiting } = await counts(db, caller)
  // Of a credential of one project the organization's servers are no business.
  const machines = caller.projectId === null ? await servers.health(db, caller.orgId) : []
  const unwell = machines.filter(({ ok }) => ok === false)
  const attention = [...(await concerns(db, caller, MOST)).map(ofDeployment), ...unwell.map(ofServer)]
  return {
    projects: { total, serving },
    deployments: { queued, running, waiting },
    servers: { total: machines.length, unwell: unwell.length },
    attention: attention.sort((a, b) => (a.since < b.since ? 1 : -1)).slice(0, MOST),
  }
}

const UNSAID: Record<Concern['kind'], string> = {
  waits: 'It waits for somebody.',
  failed: 'It failed.',
  unknown: 'Its server has another engine than when it was rolled out: nobody can say that it runs.',
}

const ofDeployment = ({ kind, since, message, project, projectName, id, number, status }: Concern): Attention => ({
  kind,
  since: since.toISOString(),
  message: message ?? UNSAID[kind],
  project: { id: project, name: projectName },
  deployment: { id, number, status },
  server: null,
})

const ofServer = ({ id, name, checkedAt, found }: servers.Health): Attention => ({
  kind: 'server',
  since: checkedAt ?? new Date(0).toISOString(),
  message: found ?? 'Its last check found something.',
  project: null,
  deployment: null,
  server: { id, name },
})
