import type { Route } from '../routes/routes.ts'
import { chainOf, type Link } from './planning/chain.ts'
import { outs } from './planning/held.ts'
import type { Observed, ObservedServer } from './planning/observed.ts'
import type { Fates, GroundOperation, Operation, ServiceOperation } from './planning/operation.ts'
import { orderOf } from './planning/order.ts'
import { targetsOf } from './planning/targets.ts'
import type { Wanted } from './planning/wanted.ts'

/**
 * What is left to do to make what was observed what is wanted; nothing when it is. Pure, and asked again after each
 * operation: it never counts on one having had its effect. `after` orders what cannot begin yet.
 */
export function plan(observed: Observed, wanted: Wanted, fates: Fates = {}): Operation[] {
  return Object.entries(observed).flatMap(([server, now]): Operation[] => {
    const home = server === wanted.server && wanted.services.length > 0
    if (!home) return wanted.scope === 'all' ? clear(server, now, wanted) : []
    if (wanted.scope === 'routes') return finalRoutes(server, now, wanted, [])
    if (wanted.scope === 'others') return retired(server, now, wanted, { chains: new Map(), after: [] })
    return converge(server, now, wanted, fates)
  })
}

/** Names first: nobody is sent to what is about to end. Volumes stay unless somebody says otherwise. */
function clear(server: string, now: ObservedServer, { atOnce = false, volumes }: Wanted): Operation[] {
  const ops: Operation[] = []
  const before = () => ops.map(({ id }) => id)
  const at = (kind: string, reason: string) => ({ id: `${kind} ${server}`, server, after: before(), reason })
  if (now.routes.length > 0)
    ops.push({ kind: 'drop-route', routes: [], ...at('drop-route', 'no name leads to it any more') })
  if (now.services.length + now.held.length + now.networks.length > 0)
    ops.push({ kind: 'withdraw', atOnce, ...at('withdraw', 'nothing of it is to run here') })
  if (volumes === 'delete' && now.volumes.length > 0)
    ops.push({ kind: 'drop-volumes', ...at('drop-volumes', 'its data is to go with it') })
  return ops
}

function converge(server: string, now: ObservedServer, wanted: Wanted, fates: Fates): Operation[] {
  const out = outs(wanted, fates)
  const targets = targetsOf(now, wanted, fates, out)
  const chains = new Map<string, Link[]>()
  for (const [name, target] of targets) {
    const links = chainOf(name, target, { now, wanted, fates })
    if (links.length > 0) chains.set(name, links)
  }
  const waits = orderOf(chains, targets, { now, wanted })
  const grounds = wanted.scope === 'services' ? [] : groundsOf(server, now, wanted, chains)
  const steps = [...chains].flatMap(([name, links]) => {
    const ends = (waits.get(name) ?? []).map(({ service, gone }) => chains.get(service)?.at(gone ? 0 : -1)?.id)
    const isUnder = (op: GroundOperation) =>
      op.kind === 'ensure-networks' || op.routes.some(({ service }) => service === name)
    const under = grounds.filter(isUnder)
    return placed(links, server, [...under.map(({ id }) => id), ...ends])
  })
  if (wanted.scope !== 'all') return [...grounds, ...steps]
  const blocked = wanted.manner === 'forward' ? out.size > 0 : Object.values(fates).includes('lost')
  // One that only gave way to another is nobody's end.
  const ends = [...chains].flatMap(([name, links]) => (targets.has(name) ? (links.at(-1)?.id ?? []) : []))
  const all = [...grounds.map(({ id }) => id), ...ends]
  const routes = blocked && wanted.routeWhen === 'reached' ? [] : finalRoutes(server, now, wanted, all)
  const after = routes.length > 0 ? ['route'] : all
  const retiring = blocked ? [] : retired(server, now, wanted, { chains, after })
  return [...grounds, ...steps, ...routes, ...retiring]
}

const BEGINS = new Set<Operation['kind']>(['apply', 'run-job', 'remove', 'restart'])

/** Watching what another owner has begun waits for nobody; the first link that changes something waits for `needs`. */
function placed(links: Link[], server: string, needs: (string | undefined)[]): ServiceOperation[] {
  const first = links.findIndex(({ kind, now }) => !now && BEGINS.has(kind))
  return links.map(({ now: _, ...link }, place) => {
    const ahead = [links[place - 1]?.id, ...(place === first ? needs : [])].filter((id) => id !== undefined)
    return { ...link, server, after: [...new Set(ahead)] } as ServiceOperation
  })
}

/** What services stand on; and while two of a service run that listen on different ports, names lead to both. */
function groundsOf(server: string, now: ObservedServer, wanted: Wanted, chains: Map<string, Link[]>) {
  const ops: GroundOperation[] = []
  const at = { server, after: [] }
  const networks = wanted.networks.filter((name) => !now.networks.includes(name))
  if (networks.length > 0 && chains.size > 0)
    ops.push({ kind: 'ensure-networks', id: 'ensure-networks', networks, ...at, reason: 'its services share them' })
  const isReplaced = (name: string) => chains.get(name)?.some(({ kind }) => kind === 'apply') ?? false
  const routes = now.routes.map((route) => {
    const next = wanted.routes.find((one) => slotOf(one) === slotOf(route))
    return next && next.port !== route.port && isReplaced(route.service) ? { ...route, also: next.port } : route
  })
  const reason = 'it will listen on another port: until then names lead to both'
  if (routes.some(({ also }, place) => also !== now.routes[place]?.also))
    ops.push({ kind: 'route-both', id: 'route-both', routes, ...at, reason })
  return ops
}

const slotOf = ({ host, pathPrefix, service }: Pick<Route, 'host' | 'pathPrefix' | 'service'>): string =>
  `${host}${pathPrefix ?? ''} ${service}`

function finalRoutes(server: string, { routes }: ObservedServer, wanted: Wanted, after: string[]): Operation[] {
  const line = ({ port, also, manner, ...one }: Route) => JSON.stringify([slotOf(one), port, also, manner])
  // One that is written down twice is one at the edge.
  const text = (all: Route[]) => [...new Set(all.map(line))].sort().join()
  if (text(routes) === text(wanted.routes)) return []
  const only = text(routes.map(({ also: _, ...route }) => route)) === text(wanted.routes)
  const reason = only ? 'nothing listens on the other port any more' : 'names lead to it from now on'
  return [{ kind: only ? 'forget-ports' : 'route', id: 'route', routes: wanted.routes, server, after, reason }]
}

type Rest = { chains: Map<string, Link[]>; after: string[] }

/** No part of the release any more: they stay until names lead elsewhere and nobody can want them back. */
function retired(server: string, now: ObservedServer, wanted: Wanted, { chains, after }: Rest): Operation[] {
  const isPart = (name: string) => wanted.services.some(({ service }) => service === name)
  const gone = now.services.filter(({ service }) => !isPart(service) && !chains.has(service))
  const more = { server, after, onFailure: 'lost', reason: 'it is no part of the release any more' } as const
  return gone.map(({ service, deployment }) => ({
    ...{ kind: 'remove', service, deployment, id: `remove ${service}`, ...more },
  }))
}
