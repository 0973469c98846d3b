import { type Tx, transaction } from '../../../db/database.ts'
import type { ProjectRow } from '../../projects/store.ts'
import type { PushParts } from './ask-host.ts'
import * as deliveries from './delivery-store.ts'
import * as heads from './head-store.ts'
import { HEADS_CHANGED } from './receive.ts'

type Found = { commitSha: string }
type Running = { project: ProjectRow; deploymentId: string; branch: string | null }

/**
 * A run resolves its branch when it begins. What it finds moves the head, so that the newest commit is built even if its
 * delivery never comes, and the delivery is known when it does.
 */
export async function followRun<T extends Found>(
  parts: PushParts,
  running: Running,
  resolve: () => Promise<T>,
): Promise<T> {
  const seen = await headOf(parts, running)
  const found = await resolve()
  if (!seen) return found
  const isOpen = await transaction(parts.db, (tx) => advance(tx, seen, running, found.commitSha))
  if (isOpen) parts.changes.send(HEADS_CHANGED)
  return found
}

async function headOf({ db, config }: PushParts, { project, branch }: Running): Promise<heads.Head | undefined> {
  const { orgId, githostRepoId: repoId, headRef } = project
  const isOwn =
    branch === null ? project.branch === null : project.branch === branch || headRef === `refs/heads/${branch}`
  if (repoId === null || headRef === null || !isOwn) return undefined
  return heads.find(db, { orgId, host: config.githost.host, repoId, ref: headRef })
}

/** True: there is something left to settle. What a delivery moved meanwhile is newer than what was found. */
async function advance(tx: Tx, seen: heads.Head, { project, deploymentId }: Running, sha: string): Promise<boolean> {
  const head = await heads.lock(tx, seen)
  if (!head) return false
  if (head.seq !== seen.seq) return head.sha === sha ? false : heads.save(tx, head, { ask: true, dirtyAt: new Date() })
  const moved = head.sha !== sha
  const seq = Number(head.seq) + (moved ? 1 : 0)
  const now = new Date()
  const decided = { decision: 'deployed' as const, reason: null, projectId: project.id, deploymentId }
  if (moved) {
    const row = { ...deliveries.found(head, 'run', seq), before: head.sha, after: sha }
    await deliveries.insert(tx, { ...row, ...decided, decidedAt: now })
    await heads.save(tx, head, { sha, seq, movedAt: now, dirtyAt: now })
  }
  const waiting = await deliveries.taken(tx, head)
  const others = (await heads.following(tx, head)).filter(({ id }) => id !== project.id)
  const into = { ...decided, decision: 'coalesced' as const, reason: `into ${deploymentId}` }
  if (others.length === 0)
    await deliveries.decide(
      tx,
      waiting.map(({ id }) => id),
      into,
    )
  await heads.saveProject(tx, head, project.id, seq)
  return moved
}
