import * as promotions from '../promotion-store.ts'
import type { Promoting } from './perform.ts'

/** Where a name of the project is, below it; all else that was sent is services and variables. */
export const NAMES = '/domains/'
export const isName = (path: string) => path.startsWith(NAMES)

/**
 * Sends what there is now, as paths below the project, and is told what came from here and is gone here. Both are remembered before
 * anything is sent: whoever goes on from anywhere knows what may be there.
 */
export async function replaceSent(
  { parts, run, project }: Promoting,
  isMine: (path: string) => boolean,
  own: string[],
  send: (gone: string[]) => Promise<void>,
): Promise<void> {
  const before = await promotions.lastSent(parts.db, project.orgId, project.id)
  const others = before.filter((path) => !isMine(path))
  const kept = new Set(own)
  const gone = before.filter((path) => isMine(path) && !kept.has(path))
  const remember = (sent: string[]) => run.write((tx) => promotions.setSent(tx, run.orgId, run.id, sent))
  await remember([...others, ...own, ...gone])
  await send(gone)
  await remember([...others, ...own])
}
