import { transaction } from '../../db/database.ts'
import type { EngineFacts } from '../../drivers/engine/engine.ts'
import { DriverFailure, notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { requireServer } from './find.ts'
import { openEngineTarget } from './open-engine-target.ts'
import { type Failure, reportFacts, reportFailure } from './report.ts'
import type { Holes } from './security-report.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'engines' | 'runtime' | 'config'>

/**
 * Looks at the server now. What is wrong with it is an answer, not an error. The first check that succeeds pins the
 * host key it saw; from then on another key fails.
 */
export async function checkServer(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const server = await requireServer(parts.db, caller, id)
  const found = await inspect(parts, server, signal)
  const hostKey = 'facts' in found ? found.facts.hostKey : null
  const owner = 'facts' in found ? await readOwner(parts, { ...server, hostKey }, signal) : null
  const report =
    'facts' in found
      ? reportFacts(found.facts, {
          owner: owner && { ...owner, us: server.orgId },
          holes: owner && (await readHoles(parts, { ...server, hostKey }, signal)),
          blockedNetworks: parts.config.blockedNetworks,
        })
      : reportFailure(found.failure)
  return transaction(parts.db, async (tx) => {
    if (owner) await store.saveEngine(tx, server, owner.engineId)
    const saved = await store.saveReport(tx, server, report, hostKey)
    const current = saved ?? (await store.find(tx, caller.orgId, id))
    if (!current) throw notFound('server')
    const pinned = server.hostKey === null && current.hostKey !== null ? { pinned: current.hostKey } : {}
    await record(tx, caller, 'server.check', id, { ok: report.ok, ...pinned })
    return { success: true as const, server: store.shape(current, parts.config), report }
  })
}

/** Whom the engine serves; null where it is no manager of a Swarm, or does not say. */
const readOwner = (parts: Parts, server: store.ServerRow, signal: AbortSignal) =>
  parts.runtime.owner.read(openEngineTarget(parts, server), { signal }).catch(() => {
    signal.throwIfAborted()
    return null
  })

/** What earlier versions of the platform left on the engine; null where it does not say. */
async function readHoles(parts: Parts, server: store.ServerRow, signal: AbortSignal): Promise<Holes | null> {
  const engine = openEngineTarget(parts, server)
  try {
    const [volumes, services] = await Promise.all([
      parts.runtime.volumes.mounting(engine, { signal }),
      parts.runtime.overprivileged(engine, { signal }),
    ])
    return { volumes, services: services.map(({ project, service }) => `${service} of ${project}`) }
  } catch {
    signal.throwIfAborted()
    return null
  }
}

async function inspect(
  parts: Parts,
  server: store.ServerRow,
  signal: AbortSignal,
): Promise<{ facts: EngineFacts } | { failure: Failure }> {
  try {
    return { facts: await parts.engines.inspect(openEngineTarget(parts, server), { signal, learnHostKey: true }) }
  } catch (error) {
    if (error instanceof DriverFailure) return { failure: shownIn(parts.config.mode, server.host, error) }
    throw error
  }
}

/** Whoever shares an instance does not learn which names are known inside its network. */
function shownIn(mode: BaseParts['config']['mode'], host: string | null, failure: Failure): Failure {
  if (mode !== 'cloud' || !['name_not_found', 'address_refused'].includes(failure.code)) return failure
  const hint = 'Use a host with an address of the internet.'
  return { code: 'unreachable', message: `${host} has no address that this instance connects to.`, hint }
}
