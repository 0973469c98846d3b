import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseOutage } from '../../../errors.ts'
import { followLink } from './follow-link.ts'
import type { RelayParts } from './parts.ts'
import * as store from './relay-store.ts'

const LOOK_MS = 1500
/** As long as the lease: what could not be renewed for so long may be another's. */
const LEASE_MS = 5000
const MOST_LINKS = 1000
const STOP_MS = 10_000

type Following = { end: AbortController; done: Promise<void> }

/**
 * Follows what hosted clouds relay to the organizations that are linked to them. Each link by one process at a time, which holds a lease in
 * the database and renews it; of a process that died another takes over when it runs out. No process is a special one.
 */
export function followLinks(parts: RelayParts): { stop(): Promise<void> } {
  if (parts.config.mode === 'cloud') return { stop: async () => {} }
  const stopping = new AbortController()
  const claim = randomUUID()
  const links = new Map<string, Following>()
  const looking = keepLooking(parts, { claim, links, signal: stopping.signal })
  return {
    async stop() {
      stopping.abort()
      for (const { end } of links.values()) end.abort()
      const all = Promise.all([looking, ...[...links.values()].map(({ done }) => done)])
      await Promise.race([all, sleep(STOP_MS, undefined, { ref: false })])
      await store.release(parts.db, claim).catch(() => {})
    },
  }
}

type Looking = { claim: string; links: Map<string, Following>; signal: AbortSignal }

/** One look for all: renews what is held, ends what is not ours any more, and takes what nobody follows. */
async function keepLooking(parts: RelayParts, { claim, links, signal }: Looking): Promise<void> {
  let renewedAt = performance.now()
  const look = async () => {
    const asked = performance.now()
    const held = await store.renew(parts.db, claim, [...links.keys()])
    renewedAt = asked
    for (const [id, { end }] of links) if (!held.has(id)) end.abort()
    for (const link of await store.takeFree(parts.db, claim, MOST_LINKS - links.size)) begin(parts, links, link)
  }
  while (!signal.aborted) {
    try {
      await look()
    } catch (error) {
      if (!databaseOutage(error as Error)) parts.log.error({ err: error }, 'links to clouds could not be looked after')
      if (performance.now() - renewedAt > LEASE_MS) for (const { end } of links.values()) end.abort()
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

function begin(parts: RelayParts, links: Map<string, Following>, link: store.Followed): void {
  const end = new AbortController()
  const before = links.get(link.linkId)
  before?.end.abort()
  const done = (before?.done ?? Promise.resolve())
    .then(() => followLink(parts, link, end.signal))
    .catch((error) => parts.log.error({ err: error }, 'a link to a cloud is not followed any more'))
    .finally(() => {
      if (links.get(link.linkId)?.end === end) links.delete(link.linkId)
    })
  links.set(link.linkId, { end, done })
}
