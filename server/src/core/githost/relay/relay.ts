import type { RelayedSaid } from '@slipway/contract/relay'
import type { Tx } from '../../../db/database.ts'
import type { Said } from '../push/read-delivery.ts'
import * as store from './relay-store.ts'

const MOST_BYTES = 16 * 1024
/** Even if each of them takes six bytes. */
const SHORT_MESSAGE = 2000

/**
 * At a cloud: what these organizations are told, the instances that are linked to them hear too. In the transaction that stores the
 * delivery, so that there is neither without the other. Answers with the links, to be woken after the commit.
 */
export async function relay(tx: Tx, orgIds: string[], host: string, guid: string, said: Said): Promise<string[]> {
  if (orgIds.length === 0) return []
  const links = await store.lockLinks(tx, orgIds)
  if (links.length === 0) return []
  const { event, ...row } = said.row
  await store.put(tx, links, { guid, event, said: bounded({ host, installationId: said.installationId, ...row }) })
  return links
}

function bounded(said: RelayedSaid): string {
  const whole = JSON.stringify(said)
  if (Buffer.byteLength(whole) <= MOST_BYTES) return whole
  return JSON.stringify({ ...said, message: said.message?.slice(0, SHORT_MESSAGE).toWellFormed() ?? null })
}
