import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { openRuns, submit, type Waker } from '../../../jobs/enqueue.ts'
import * as store from '../rows/store.ts'

type Left = { id: string; orgId: string; projectId: string }
/** For whoever comes when the run that is submitted here was of no use. */
const LATER_MS = 60_000

/**
 * A deployment is over, but something that takes longer is still to be seen to on its engine. A run of the project does
 * that next; the mark stays until it is done.
 */
export async function scheduleSettle(tx: Tx, transport: Waker, { id, orgId, projectId }: Left): Promise<void> {
  await store.update(tx, id, { settleAfter: new Date(Date.now() + LATER_MS) })
  await submitSettle(tx, transport, { orgId, projectId })
}

export async function submitSettle(tx: Tx, transport: Waker, { orgId, projectId }: Omit<Left, 'id'>): Promise<void> {
  const open = await openRuns(tx, orgId, projectId)
  if (open.some(({ kind, status }) => kind === 'settle' && status === 'queued')) return
  await submit(tx, transport, { id: newId('run'), lane: projectId, kind: 'settle', orgId, input: {}, urgency: 'short' })
}
