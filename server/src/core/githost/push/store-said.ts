import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import * as heads from './head-store.ts'
import type { Said } from './read-delivery.ts'
import * as store from './receive-store.ts'

/** `orgIds`: whom it concerns; `otherwise`: who it is kept for where that is nobody. */
export type Told = { guid: string; said: Said; body: string | null; orgIds: string[]; otherwise: string | null }
type Stored = {
  /** All of it was there before, and is decided. */
  isOver: boolean
  /** Organizations that had not heard of it. */
  added: string[]
}

/**
 * Keeps what the host said, for each organization that it concerns: once, by its id, however it came here; and that branches moved. However
 * many are told at once, it is a handful of statements.
 */
export async function storeSaid(tx: Tx, host: string, hookKey: string, all: Told[]): Promise<Stored[]> {
  const deploying = await store.deploying(tx, all.flatMap(branchesOf))
  const rows = all.flatMap((told) => rowsFor(told, hookKey, deploying))
  // They are received at one moment: their ids alone say in which order they were told.
  const ids = rows.map(() => newId('ghd')).toSorted()
  const added = await store.insert(
    tx,
    rows.map((row, n) => ({ id: ids[n] ?? '', ...row })),
  )
  const there = all.flatMap(guidsOf).filter((guid) => !added.has(guid))
  const open = await store.undecided(tx, hookKey, there)
  const isNews = (told: Told) => guidsOf(told).some((guid) => added.has(guid) || open.has(guid))
  const moved = all.filter(isNews).flatMap(branchesOf)
  await heads.mark(
    tx,
    moved.filter((branch) => deploying.has(store.keyOf(branch))).map((branch) => ({ ...branch, host })),
    { told: true, ask: false },
  )
  return all.map((told) => ({
    isOver: !isNews(told),
    added: told.orgIds.filter((orgId) => added.has(guidFor(told, orgId))),
  }))
}

const whose = ({ orgIds, otherwise }: Told) => (orgIds.length === 0 ? [otherwise] : orgIds)
const guidFor = ({ guid }: Told, orgId: string | null) => `${guid}:${orgId ?? ''}`
const guidsOf = (told: Told) => whose(told).map((orgId) => guidFor(told, orgId))

function branchesOf({ said: { branch }, orgIds }: Told): store.Branch[] {
  return branch ? orgIds.map((orgId) => ({ orgId, ...branch })) : []
}

function rowsFor(told: Told, hookKey: string, deploying: Set<string>) {
  const { said, body } = told
  const { branch } = said
  const now = new Date()
  return whose(told).map((orgId) => {
    const isFollowed = branch && orgId !== null && deploying.has(store.keyOf({ orgId, ...branch }))
    const nobody = branch && !isFollowed ? ['ignored', 'no project deploys this branch'] : null
    const [decision, reason] = said.decided ?? nobody ?? []
    return {
      ...{ orgId, hookKey, guid: guidFor(told, orgId), ...said.row },
      ...(decision && { decision: decision as 'ignored', reason: reason ?? null, decidedAt: now }),
      body,
    }
  })
}
