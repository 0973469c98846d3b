import type { Queryable } from '../../../db/database.ts'
import type { EdgeCertificate } from '../../../drivers/edge/edge.ts'
import { isFailure } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'edge' | 'config'>

export const place = (id: string) => `certificate/${id}/pem`

/** What a server's edge is to show, all of it or one project's. Keys are opened one by one, for what the edge lacks. */
export async function wantedOn(
  { db, keys }: Pick<Parts, 'db' | 'keys'>,
  serverId: string,
  projectId: string | null = null,
  through: Queryable = db,
): Promise<EdgeCertificate[]> {
  const shown = await store.shownOn(through, serverId, projectId)
  return shown.map(({ id, orgId, host, serial }) => ({
    host,
    id: edgeId(id, serial),
    pem: async () => {
      const row = await store.find(db, orgId, id)
      if (!row?.pemSealed) throw new Error(`The certificate of ${host} is gone.`)
      return keys.open(row.pemSealed, place(id))
    },
  }))
}

const edgeId = (id: string, serial: string) => `${id}-${serial}`.slice(0, 100)

/** Before a project's names lead to a server: its edge has what they need, so that no visitor meets one that has not. */
export async function fillFor(parts: Parts, server: servers.ServerRow, projectId: string | null, signal: AbortSignal) {
  const wanted = await wantedOn(parts, server.id, projectId)
  if (wanted.length > 0) await parts.edge.certificates.put(openEngineTarget(parts, server), wanted, signal)
}

/** A project's certificates at all edges that are to have them. The first must; another may not be set up yet. */
export async function install(
  parts: Parts,
  orgId: string,
  projectId: string | null,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...others] = await store.serversOf(parts.db, orgId, projectId)
  if (first === undefined) return
  await fillFor(parts, await servers.load(parts.db, orgId, first), projectId, signal)
  for (const id of others) {
    await fillFor(parts, await servers.load(parts.db, orgId, id), projectId, signal).catch((error) => {
      if (!isFailure(error, 'edge', 'edge_missing')) throw error
    })
  }
}
