import { Refusal } from '../../../errors.ts'
import { UNDO_PENDING } from '../../../jobs/steps.ts'
import * as projects from '../../projects/store.ts'
import * as promotions from '../promotion-store.ts'
import { type Ask, NotYet } from './ask-cloud.ts'
import type { Promoting } from './perform.ts'

/** Stopping what runs takes the cloud its time. */
const SLOW_MS = 60_000
const LATE_MS = 3000

/**
 * The project there goes again, with what a deployment has made for it. It stays where it is the target, since that was not this
 * promotion's doing; and where its deployment failed, so that its log can be read. Without a link nobody can be asked: it is left, and
 * written down.
 */
export async function takeBack(
  { parts, run, project }: Promoting,
  ask: Ask,
  because: 'failed' | 'cancelled',
): Promise<unknown> {
  const { target } = await projects.load(parts.db, run.orgId, project.id)
  const { there } = await promotions.load(parts.db, run.orgId, run.id)
  if (target === 'cloud' || (because === 'failed' && there)) return undefined
  try {
    // It may have become the active release in the moment in which somebody cancelled.
    const path = `/api/deployments/${run.id}?force=true`
    await ask({ method: 'DELETE', path, expects: [400, 404], slowMs: SLOW_MS })
    // What asked for it may still be on its way.
    if (!(await deleteThere(ask, project.id)) && run.since('undo:project') === undefined)
      throw new NotYet('It is not there yet.', LATE_MS)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'cloud_unreachable') return UNDO_PENDING
    throw error
  }
  await run.write((tx) => promotions.forgetThere(tx, run.orgId, project.id))
  return undefined
}

/** False: there was none. */
async function deleteThere(ask: Ask, id: string): Promise<boolean> {
  const { status } = await ask({ method: 'DELETE', path: `/api/projects/${id}?volumes=delete`, expects: [404, 409] })
  if (status === 409) throw new NotYet('Something of the project is still being stopped there.')
  return status !== 404
}
