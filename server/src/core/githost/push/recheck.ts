import { recheckBrokered } from '../broker/keep-brokered.ts'
import { refresh } from '../mirror.ts'
import { failureIn } from '../refuse.ts'
import { asApp, sourcesOf } from '../sources.ts'
import { keepInstallation } from '../store.ts'
import { TOKENS_CHANGED } from '../tokens.ts'
import type { PushParts } from './ask-host.ts'
import * as store from './recheck-store.ts'

const MOST = 20
const MOST_ORGANIZATIONS = 20

/**
 * What the host said of installations is only a reason to ask: permissions, suspension and the end of one are taken from
 * its own answer. Every installation is asked about once a day as well, because that, too, may have got lost.
 */
export async function recheckInstallations(parts: PushParts, signal: AbortSignal): Promise<void> {
  for (const one of await store.takeDue(parts.db, parts.config.githost.host, MOST)) {
    if (signal.aborted) return
    try {
      await recheck(parts, one, signal)
      if (one.isMarked) await relist(parts, one, signal)
    } catch (error) {
      const failure = failureIn(error)
      if (failure === null && !signal.aborted) parts.log.warn({ err: error }, 'an installation could not be checked')
      if (failure?.code === 'not_found') await store.markGone(parts.db, one)
      else await store.soonAgain(parts.db, one)
    }
    // What it may do has changed, or it is gone: nobody goes on with a token from before.
    if (one.isMarked) parts.changes.send(TOKENS_CHANGED)
  }
}

async function recheck(parts: PushParts, one: store.Due, signal: AbortSignal): Promise<void> {
  const { app, orgId } = one
  if (one.via === 'cloud' && orgId !== null) return recheckBrokered(parts, { orgId, app }, signal)
  await keepInstallation(parts.db, app, await asApp(parts, one, signal).installation(Number(one.installationId)))
}

/** Repositories came, went or were renamed; addresses of projects follow the number of their repository. */
async function relist(parts: PushParts, one: store.Due, signal: AbortSignal): Promise<void> {
  for (const { id, orgId } of await store.linksOf(parts.db, one, MOST_ORGANIZATIONS)) {
    await store.forgetListing(parts.db, orgId, id)
    const mine = (await sourcesOf(parts, orgId)).find(({ key }) => key === id)
    if (mine) await refresh(parts, mine, signal)
    await store.followNames(parts.db, orgId, parts.config.githost.url)
  }
}
