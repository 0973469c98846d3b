import { transaction } from '../../../../db/database.ts'
import { Refusal } from '../../../../errors.ts'
import type { Caller } from '../../../access/caller.ts'
import { record } from '../../../audit/record.ts'
import type { BaseParts } from '../../../parts.ts'
import { requireProject } from '../../../projects/find.ts'
import * as projects from '../../../projects/store.ts'
import { forgetProject } from './forget.ts'

export async function deleteProject(
  { db, transport }: Pick<BaseParts, 'db' | 'transport'>,
  caller: Caller,
  id: string,
  volumes: 'keep' | 'delete',
) {
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    if (await projects.isRunning(tx, id)) {
      throw new Refusal('conflict', 'The project is running: a deployment is active or under way.', {
        hint: 'Delete its active deployment with ?force=true first, which stops its services.',
      })
    }
    if (project.cloudProjectId !== null || (await projects.isPromoted(tx, caller.orgId, id))) {
      throw new Refusal('conflict', 'The hosted cloud has the project as well, or is about to.', {
        hint: 'Give that back first: DELETE /api/projects/:id/promotion, after cancelling what is on its way.',
      })
    }
    await forgetProject(tx, transport, project, volumes)
    await projects.remove(tx, caller, id)
    await record(tx, caller, 'project.delete', id, { name: project.name, volumes })
    return { success: true as const }
  })
}
