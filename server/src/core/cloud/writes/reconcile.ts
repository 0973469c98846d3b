import { newId } from '../../../db/ids.ts'
import type { CloudFailure } from '../../../drivers/cloud-forward/passage.ts'
import { isFailure, Refusal } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import * as projects from '../../projects/store.ts'
import { askList, goneIn } from '../ask-list.ts'
import * as stubs from '../deployments-store.ts'
import type { ForwardParts } from '../forward.ts'
import * as links from '../link-store.ts'
import { isWith } from '../whose.ts'
import * as writes from './store.ts'

type Parts = ForwardParts & Pick<BaseParts, 'log'>

const AT_ONCE = 20
const ASK_MS = 5000
/** What a write has made is among these. */
const NEWEST = 50

/**
 * Reconciles what is known here with what writes have made or taken away there, where nobody heard the answer: it was lost, or this process
 * was. Asked until all of it must have been done there.
 */
export async function reconcileWrites(parts: Parts, signal: AbortSignal): Promise<void> {
  for (const write of await writes.takeDue(parts.db, AT_ONCE)) {
    if (signal.aborted) return
    const isKnown = await reconcile(parts, write, signal).catch((error) => {
      const isUsual = isFailure<CloudFailure>(error, 'cloud') || error instanceof Refusal || signal.aborted
      const facts = { orgId: write.orgId, deploymentId: write.deploymentId }
      if (isUsual)
        parts.log.info({ ...facts, reason: error.message }, 'what became of a write at the cloud is asked later')
      else parts.log.warn({ ...facts, err: error }, 'what became of a write at the cloud could not be found out')
      return false
    })
    if (write.isOld || (isKnown && write.isOver)) await writes.end(parts.db, write)
  }
}

/** Whether the cloud said how it stands. */
async function reconcile(parts: Parts, write: writes.DueWrite, stopping: AbortSignal): Promise<boolean> {
  const { db } = parts
  const { orgId, projectId, deploymentId } = write
  const { cloudProjectId, cloudOrgId } = await projects.load(db, orgId, projectId)
  // It was given back, and what is there is nothing of ours.
  if (cloudProjectId === null) return true
  const link = await links.find(db, orgId)
  if (!link || !isWith(link, cloudOrgId)) return false
  const by = { orgId, requestId: newId('req') }
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(ASK_MS)])
  const newest = await askList(parts, by, link, { query: `projectId=${cloudProjectId}&limit=${NEWEST}`, signal })
  if (newest === null) return false
  const made = newest.found.filter((one) => one.projectId === cloudProjectId)
  await stubs.insert(db, { orgId, projectId, cloudOrgId: link.cloudOrgId, shown: made })
  await stubs.see(db, orgId, made)
  if (newest.ids.has(deploymentId)) return true
  const one = await askList(parts, by, link, { query: `ids=${deploymentId}`, signal })
  if (one === null) return false
  await stubs.dropGone(db, { orgId, cloudOrgId: link.cloudOrgId, ids: goneIn(one, [deploymentId]) })
  return true
}
