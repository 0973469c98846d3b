import { failureIn } from './refuse.ts'
import { asApp, type GithostParts } from './sources.ts'
import * as store from './store.ts'
import { TOKENS_CHANGED } from './tokens.ts'

const AT_ONCE = 50

/**
 * Once a day every installation that is linked is asked for: deliveries that tell of an uninstallation, a suspension or
 * other permissions may get lost. One that the host does not know any more is no source from then on.
 */
export async function recheckInstallations(parts: GithostParts, signal: AbortSignal): Promise<void> {
  const due = await store.takeUnchecked(parts.db, parts.config.githost.host, AT_ONCE)
  for (const one of due) {
    signal.throwIfAborted()
    try {
      await store.keepInstallation(
        parts.db,
        one.app,
        await asApp(parts, one, signal).installation(Number(one.installationId)),
      )
    } catch (error) {
      const failure = failureIn(error)
      if (failure === null) throw error
      if (failure.code === 'not_found') await store.markInstallation(parts.db, one, 'goneAt')
      else parts.log.warn({ reason: failure.message }, 'an installation could not be checked')
    }
  }
  if (due.length > 0) parts.changes.send(TOKENS_CHANGED)
}
