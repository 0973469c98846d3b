import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import * as heads from './head-store.ts'
import type { Said } from './read-delivery.ts'
import * as store from './receive-store.ts'

/** `orgIds`: whom it concerns; `otherwise`: who it is kept for where that is nobody. */
type Told = {
  hookKey: string
  guid: string
  said: Said
  body: string | null
  orgIds: string[]
  otherwise: string | null
}
type Branch = NonNullable<Said['branch']>
export type Stored = {
  /** All of it was there before, and is decided. */
  isOver: boolean
  /** Organizations that had not heard of it. */
  added: string[]
  /** A branch that moved, and whose heads that concerns. */
  moved: { branch: Branch; orgIds: string[] } | null
}

/** Keeps what the host said, for each organization that it concerns: once, by its id, however it came here. */
export async function storeSaid(tx: Tx, told: Told): Promise<Stored> {
  const { hookKey, said, orgIds, otherwise } = told
  const { branch } = said
  const deploying = branch ? await store.deploying(tx, orgIds, branch.repoId, branch.ref) : new Set<string>()
  const rows = rowsFor(told, orgIds.length === 0 ? [otherwise] : orgIds, deploying)
  const added = await store.insert(tx, rows)
  const guids = rows.map(({ guid }) => guid)
  const isOver = added.length === 0 && (await store.isDecided(tx, hookKey, guids))
  const moved = branch && !isOver ? { branch, orgIds: orgIds.filter((id) => deploying.has(id)) } : null
  return { isOver, added: added.filter((id) => id !== null), moved }
}

/** In one order, so that two that mark several never wait for each other. */
export async function markMoved(tx: Tx, host: string, all: Stored[]): Promise<void> {
  const moves = all.flatMap(({ moved }) => moved ?? [])
  const heard = new Map(moves.map((move) => [`${move.branch.repoId} ${move.branch.ref}`, move]))
  const inOrder = [...heard.values()].toSorted(
    (a, b) => a.branch.repoId - b.branch.repoId || Buffer.compare(Buffer.from(a.branch.ref), Buffer.from(b.branch.ref)),
  )
  for (const { branch, orgIds } of inOrder) await heads.mark(tx, orgIds, { host, ...branch, told: true, ask: false })
}

function rowsFor({ guid, hookKey, said, body }: Told, orgIds: (string | null)[], deploying: Set<string>) {
  const now = new Date()
  return orgIds.map((orgId) => {
    const nobody =
      said.branch && !(orgId !== null && deploying.has(orgId)) ? ['ignored', 'no project deploys this branch'] : null
    const [decision, reason] = said.decided ?? nobody ?? []
    return {
      ...{ id: newId('ghd'), orgId, hookKey, guid: `${guid}:${orgId ?? ''}`, ...said.row },
      ...(decision && { decision: decision as 'ignored', reason: reason ?? null, decidedAt: now }),
      body,
    }
  })
}
