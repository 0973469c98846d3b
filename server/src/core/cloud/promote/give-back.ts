import { transaction } from '../../../db/database.ts'
import { notFound, Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { requireProject } from '../../projects/find.ts'
import * as projects from '../../projects/store.ts'
import type { ForwardParts } from '../forward.ts'
import * as promotions from '../promotion-store.ts'
import { askCloud, NotYet } from './ask-cloud.ts'
import { promotionRunning } from './refusals.ts'

const MOST_MS = 50_000

/**
 * First there: should this process die in between, it is still known here and can be given back again. What runs there the cloud does not
 * delete, and its data only where it never served anybody.
 */
export async function giveBack(parts: ForwardParts, caller: Caller, id: string) {
  const project = await requireProject(parts.db, caller, id)
  if (await projects.isPromoted(parts.db, caller.orgId, id)) throw stillRunning()
  if (project.cloudProjectId === null) throw notFound('promotion')
  const left = await deleteThere(parts, caller, project)
  const deletedThere = left === null
  return transaction(parts.db, async (tx) => {
    if (await projects.isPromoted(tx, caller.orgId, id)) throw stillRunning()
    await promotions.forgetThere(tx, caller.orgId, id)
    await record(tx, caller, 'project.give_back', id, { target: project.target, deletedThere })
    return { success: true as const, deletedThere, ...(left !== null && { hint: left }) }
  })
}

/** Null, or why it is left there: no link leads to those who have it. */
async function deleteThere(
  parts: ForwardParts,
  { orgId, requestId }: Caller,
  { cloudProjectId, cloudOrgId, target }: projects.ProjectRow,
): Promise<string | null> {
  const path = `/api/projects/${cloudProjectId}?volumes=${target === 'cloud' ? 'keep' : 'delete'}`
  try {
    await askCloud(
      parts,
      { orgId, requestId, cloudOrgId },
      { method: 'DELETE', path, expects: [404] },
      AbortSignal.timeout(MOST_MS),
    )
    return null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'cloud_unreachable')
      return `${error.message} Whoever may there deletes the project.`
    if (!(error instanceof NotYet)) throw error
    const hint = 'Try again in a while; nothing was changed here.'
    throw new Refusal('cloud_unreachable', error.message, { hint, retryAfter: 5, cause: error })
  }
}

const stillRunning = () => promotionRunning('A promotion of the project is running.')
