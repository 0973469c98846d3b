import type { Queryable, Tx } from '../../../db/database.ts'
import type { StoredRoute } from '../../../db/deployment-tables.ts'
import type { BaseParts } from '../../parts.ts'
import { namesOf } from '../rows/overrides.ts'
import { portOf, type Release } from '../rows/release.ts'
import * as store from '../rows/store.ts'

type Place = { projectId: string; serverId: string }

/** Names that lead to the active release lead to these ports as well; whether that is a change. */
export async function leadToBoth(tx: Tx, { projectId, serverId }: Place, next: StoredRoute[]): Promise<boolean> {
  const active = await store.findActive(tx, projectId)
  if (!active?.routed || active.serverId !== serverId) return false
  const both = active.routes.map((route) => {
    const other = next.find((one) => isSame(one, route))
    return other && other.port !== route.port ? { ...route, also: other.port } : route
  })
  if (!both.some(({ also }) => also !== undefined)) return false
  await store.update(tx, active.id, { routes: JSON.stringify(both) })
  return true
}

const isSame = (a: StoredRoute, b: StoredRoute) =>
  a.host === b.host && a.pathPrefix === b.pathPrefix && a.service === b.service

export async function routesTo(
  tx: Queryable,
  { keys }: Pick<BaseParts, 'keys'>,
  deployment: Pick<store.DeploymentRow, 'id' | 'projectId' | 'overrides'>,
  release: Release,
): Promise<StoredRoute[]> {
  const names = await namesOf({ db: tx, keys }, deployment)
  return names.flatMap(({ host, pathPrefix, service: said, port }) => {
    const service = leadsTo(release, said)
    return service === null ? [] : [{ host, pathPrefix, service, port: port || portOf(release, service) }]
  })
}

/** `secured`: the names that have a certificate. */
export function urlsOf({ config }: Pick<BaseParts, 'config'>, routes: StoredRoute[], secured: Set<string>): string[] {
  const { publicHttpPort, publicHttpsPort } = config.edge
  const plain = publicHttpPort === 80 ? '' : `:${publicHttpPort}`
  const safe = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`
  return routes.map(({ host, pathPrefix }) => {
    const origin = secured.has(host) ? `https://${host}${safe}` : `http://${host}${plain}`
    return `${origin}${pathPrefix ?? ''}`
  })
}

/** A name is asked for before it is known which services there are: one that there is not leads to the main one. */
function leadsTo({ services, main }: Release, said: string): string | null {
  const names = services.filter(({ job }) => !job).map(({ service }) => service)
  if (names.includes(said)) return said
  return names.length === 1 ? (names[0] ?? null) : main && names.includes(main) ? main : null
}
