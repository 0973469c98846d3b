import { can } from '@slipway/contract/deployment-states'
import { type Tx, transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import { requireDeployable } from '../../uploads/mode.ts'
import * as uploads from '../../uploads/store.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { stateOf } from '../rows/shape.ts'
import { submitDeployment } from './submit.ts'
import { withDeployment } from './with-deployment.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'keys' | 'config'>

export async function redeploy(parts: Parts, caller: Caller, id: string, useExistingCommit: boolean) {
  return transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requireAllowed(can.redeploy(stateOf(row)))
    const project = await requireProject(tx, caller, row.projectId)
    const { commitSha, commitMessage, ...source } = row.source
    // What it was asked for the last time, but not which commit, which release and why: those are said anew.
    const { useCommit: _, rollbackOf: __, message: ___, ...asked } = row.request
    if (source.kind === 'upload') await requireSession(tx, parts, caller, source.uploadSessionId)
    if (useExistingCommit && source.kind === 'git' && commitSha === undefined) throw noCommit()
    const exact = useExistingCommit && commitSha !== undefined
    const request = { ...asked, ...(exact && { useCommit: commitSha }) }
    const started = await submitDeployment(tx, parts, caller, {
      project,
      serverId: row.serverId,
      trigger: 'redeploy',
      source: exact && commitMessage !== undefined ? { ...source, commitMessage } : source,
      request,
    })
    return withDeployment(tx, caller, started)
  })
}

async function requireSession(tx: Tx, { config }: Pick<BaseParts, 'config'>, { orgId }: Caller, id = '') {
  requireDeployable(config, await uploads.find(tx, { orgId, projectId: null }, id))
}

const noCommit = () =>
  new Refusal('not_now', 'It never came as far as a commit, so there is none to build again.', {
    field: 'useExistingCommit',
    hint: 'Redeploy without useExistingCommit to build the latest commit of the branch.',
  })
