import type { DeploymentError } from '@slipway/contract/deployment-shape'
import type { Tx } from '../../../db/database.ts'
import type { End, Pipeline, Run, RunFacts } from '../../../jobs/steps.ts'
import { record } from '../../audit/record.ts'
import * as projects from '../../projects/store.ts'
import * as stubs from '../deployments-store.ts'
import * as links from '../link-store.ts'
import * as promotions from '../promotion-store.ts'
import { awaitEnd, deployThere, FailedThere } from './deploy-step.ts'
import { claimNames } from './names-step.ts'
import type { PromoteParts } from './perform.ts'
import { makeProject } from './project-step.ts'
import { sendSettings } from './settings-step.ts'
import { sendSource } from './source-step.ts'
import { asEnded } from './stub-shape.ts'

/** Of its own: a promotion may wait for a cloud for hours, and what the project does here goes on meanwhile. */
export const laneOf = (projectId: string) => `promote:${projectId}`

/** Promotions as a kind of run. The project's target changes in the transaction that ends the run, after the cloud has said `ready`. */
export const promotePipeline = (parts: PromoteParts): Pipeline => ({
  run: (run) => promote(parts, run),
  onEnd: close,
  explain(error) {
    if (error instanceof FailedThere) return { code: error.code, message: error.message, hint: error.hint }
    return {
      code: 'internal',
      message: 'Something unexpected stopped this promotion.',
      hint: 'The server’s log has the details.',
    }
  },
})

async function promote(parts: PromoteParts, run: Run): Promise<void> {
  const promotion = await promotions.load(parts.db, run.orgId, run.id)
  const project = await projects.load(parts.db, run.orgId, promotion.projectId)
  const promoting = { parts, run, project, promotion }
  await makeProject(promoting)
  const uploadSessionId = await sendSource(promoting)
  await sendSettings(promoting)
  await claimNames(promoting)
  await deployThere(promoting, uploadSessionId)
  await awaitEnd(promoting)
}

const STATE = { succeeded: 'promoted', failed: 'failed', cancelled: 'cancelled' } as const

async function close(tx: Tx, { orgId, id }: RunFacts, end: End): Promise<void> {
  const promotion = await promotions.find(tx, orgId, id)
  // The organization went meanwhile, with all that it had.
  if (!promotion) return
  const { projectId, createdBy, there } = promotion
  const state = STATE[end.outcome]
  const error = errorOf(end)
  await promotions.end(tx, orgId, id, { state, error })
  if (state === 'promoted') {
    await promotions.setTarget(tx, orgId, projectId)
    const link = await links.find(tx, orgId)
    return record(tx, createdBy, 'project.promote', projectId, { deploymentId: id, cloud: link?.url ?? null })
  }
  if (!there) {
    const { shown } = await stubs.load(tx, orgId, id)
    await stubs.see(tx, orgId, [asEnded(shown, { status: state, error })])
  }
  const left = end.leftovers.length > 0 && { left: true }
  await record(tx, createdBy, 'project.promotion_end', projectId, {
    deploymentId: id,
    state,
    code: error?.code,
    ...left,
  })
}

const LEFT = {
  message: 'What was made at the hosted cloud could not be taken back.',
  hint: 'Link the organization anew, then DELETE /api/projects/:id/promotion; or let somebody delete the project there.',
}

function errorOf({ reason, leftovers }: End): DeploymentError | null {
  const none = { step: null, service: null, logSeq: null }
  const left = leftovers.length > 0
  if (reason === null) return left ? { ...none, code: 'left_there', ...LEFT } : null
  const { code, message, hint = null, step = null } = reason
  return { ...none, code, step, message: left ? `${message} ${LEFT.message}` : message, hint: left ? LEFT.hint : hint }
}
