import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import { isFailure } from '../../../errors.ts'
import { wantedOn } from '../../domains/certificates/install.ts'
import { claimAddress } from '../../domains/names/platform-address.ts'
import { PLATFORM } from '../../domains/names/platform-store.ts'
import * as domains from '../../domains/names/store.ts'
import { eachFairly } from '../../fair-share.ts'
import type { BaseParts } from '../../parts.ts'
import { edgeSettings } from '../../servers/edge-settings.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { publicNetwork } from '../rows/network-names.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'edge' | 'config' | 'log'>
const AT_ONCE = 4
const DEADLINE_MS = 60_000

/** Makes every edge what is written down: one that was lost, or whose volume was emptied, is itself again within a minute. */
export async function mendEdges(parts: Parts, signal: AbortSignal): Promise<void> {
  await claimAddress(parts)
  await eachFairly(servers.withRoutes(parts.db), { atOnce: AT_ONCE, perOrg: 1, signal }, (server) =>
    mend(parts, server, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])).catch((error) => {
      if (!signal.aborted) parts.log.info({ err: error, server: server.id }, 'an edge could not be looked at')
    }),
  )
}

/** All that the edge of a server is to know. */
export const contentsOf = (parts: Pick<Parts, 'db' | 'keys'>, serverId: string) => ({
  routes: () => domains.routesOn(parts.db, serverId),
  certificates: () => wantedOn(parts, serverId),
})

async function mend({ db, keys, edge, config, log }: Parts, server: servers.ServerRow, signal: AbortSignal) {
  const engine = openEngineTarget({ keys, config }, server)
  // Certificates first: no route may send visitors to https before there is one.
  const equal = async () => {
    const certificates = await edge.certificates.reconcile(engine, () => wantedOn({ db, keys }, server.id), signal)
    const routes = await edge.reconcile(engine, () => domains.routesOn(db, server.id), signal)
    if (routes.unfit) log.error({ server: server.id, reasons: routes.unfit.slice(0, 10) }, 'routes were left out')
    return { written: certificates.written + routes.written, removed: certificates.removed + routes.removed }
  }
  const done = await equal().catch(async (error) => {
    if (!isFailure(error, 'edge', 'edge_missing')) throw error
    await edge.ensure(engine, edgeSettings({ config }, server), signal, contentsOf({ db, keys }, server.id))
    return equal()
  })
  await mendGateways({ db, edge, config, log }, server, engine, signal)
  if (done.written + done.removed > 0) log.warn({ server: server.id, ...done }, 'the files of an edge were put right')
}

/** A gateway that somebody removed, or that an older platform made, is as it should be within a minute. */
async function mendGateways(
  { db, edge, config, log }: Omit<Parts, 'keys'>,
  server: servers.ServerRow,
  engine: EngineTarget,
  signal: AbortSignal,
): Promise<void> {
  const projects = new Set((await domains.routesOn(db, server.id)).map(({ project }) => project))
  projects.delete(PLATFORM)
  const gateways = [...projects].map((project) => ({ project, org: server.orgId, network: publicNetwork(project) }))
  const { changed, failed } = await edge.gateways.mend(engine, gateways, edgeSettings({ config }, server), signal)
  if (changed + failed.length > 0)
    log.warn({ server: server.id, changed, failed: failed.slice(0, 10) }, 'gateways were put right')
}
