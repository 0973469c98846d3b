import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { askList, goneIn, type Listed } from './ask-list.ts'
import * as store from './deployments-store.ts'
import type { ForwardParts } from './forward.ts'
import * as links from './link-store.ts'
import { isWith } from './whose.ts'

type Parts = ForwardParts & Pick<BaseParts, 'log'>
type Stub = Pick<store.CloudDeploymentRow, 'id' | 'cloudOrgId'>
/** `hopped`: another instance asks for a list of its own, and not for what a cloud of ours knows. */
export type LookOptions = { signal: AbortSignal; hopped: boolean }

/** What the cloud has said while one list was made. */
export type Looked = {
  /** Those that it was asked about, as they are now; null: it did not tell. */
  seen: Map<string, Deployment | null>
  /** They are not there any more. */
  gone: Set<string>
}

const ASK_MS = 1000

/** Asks the linked cloud about deployments, each once, and all of it within a second: whoever lists has little time. */
export function lookThere(parts: Parts, caller: Caller, { signal, hopped }: LookOptions) {
  const looked: Looked = { seen: new Map(), gone: new Set() }
  let hurried: AbortSignal | undefined
  return {
    ...looked,
    async look(stubs: Stub[]): Promise<void> {
      const unseen = stubs.filter(({ id }) => !looked.seen.has(id))
      if (unseen.length === 0 || hopped) return
      const link = await links.find(parts.db, caller.orgId)
      const known = unseen.filter(({ cloudOrgId }) => link && isWith(link, cloudOrgId)).map(({ id }) => id)
      if (!link || known.length === 0) return
      // That there is no time says nothing about the cloud: it is our signal that ends it.
      hurried ??= AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
      const query = `limit=200&ids=${known.join(',')}`
      try {
        const listed = await askList(parts, caller, link, { query, signal: hurried })
        if (listed !== null) await keep(parts, caller, link, { looked, known, listed })
      } catch (error) {
        parts.log.info({ reason: (error as Error).message, orgId: caller.orgId }, 'the cloud was not asked for a list')
      }
    },
  }
}

type Kept = { looked: Looked; known: string[]; listed: Listed }

/** Of before it was kept whose they are, nobody knows whether another organization of the cloud has them. */
async function keep({ db }: Parts, { orgId }: Caller, { cloudOrgId }: { cloudOrgId: string }, kept: Kept) {
  const { looked, known, listed } = kept
  await store.see(db, orgId, listed.found)
  for (const id of await store.dropGone(db, { orgId, cloudOrgId, ids: goneIn(listed, known) })) looked.gone.add(id)
  for (const id of known) looked.seen.set(id, null)
  for (const one of listed.found) looked.seen.set(one.id, one)
}
