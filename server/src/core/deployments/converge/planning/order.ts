import type { Around, Link, Target } from './chain.ts'
import { isShared } from './held.ts'
import type { ObservedServer } from './observed.ts'
import type { Fate, Resource } from './operation.ts'
import { clash } from './resources.ts'
import type { Wanted } from './wanted.ts'

/** `gone`: only its removal is waited for. */
export type Wait = { service: string; gone: boolean }
type Chains = Map<string, Link[]>
type Waits = Map<string, Wait[]>

/**
 * Who waits for whom: dependencies on the way forward, and, in both directions, whoever has what only one can have.
 * Adds to the chains what such a change of hands needs.
 */
export function orderOf(
  chains: Chains,
  targets: Map<string, Target>,
  { now, wanted }: Omit<Around, 'fates'>,
): Map<string, Wait[]> {
  const waits: Waits = new Map([...chains.keys()].map((name) => [name, []]))
  let last: string | undefined
  for (const { service, after } of wanted.services) {
    if (!chains.has(service) || targets.get(service)?.manner !== 'forward') continue
    for (const other of after) if (chains.has(other.service)) waits.get(service)?.push(wait(other.service))
    if (wanted.restart !== undefined && last !== undefined) waits.get(service)?.push(wait(last))
    last = service
  }
  for (const conflict of conflicts(chains, targets, { now, wanted })) handOver(conflict, chains, waits, { now, wanted })
  return waits
}

const wait = (service: string, gone = false): Wait => ({ service, gone })

/** Lets one start with what another one has. */
function handOver(
  { name, resource, service, onFailure }: Conflict,
  chains: Chains,
  waits: Waits,
  { now, wanted }: Omit<Around, 'fates'>,
): void {
  const gives = chains.get(service) ?? []
  const there = now.services.some((one) => one.service === service)
  const isPart = wanted.services.some((one) => one.service === service)
  if (!there || (gives.length === 0 && isPart)) {
    // It has let go of it, or has been told to: only its containers have not ended yet.
    const reason = `${service} still has ${resource.label}`
    const id = `wait-free ${name} ${resource.id} ${service}`
    const what = { resources: [resource], holders: [service] }
    const free: Link = { kind: 'wait-free', service: name, ...what, id, onFailure, reason }
    const links = chains.get(name) ?? []
    if (!links.some((link) => link.id === id)) chains.set(name, [free, ...links])
    return
  }
  if (gives.length > 0 && !leads(service, name, chains, waits)) {
    waits.get(name)?.push(wait(service, gives[0]?.kind === 'remove'))
    return
  }
  giveWay({ name, resource, service }, gives, now, chains)
  // No part of the release any more: it goes when the taker's turn comes.
  const others = (waits.get(name) ?? []).filter((one) => one.service !== service)
  if (!waits.has(service)) waits.set(service, others)
  waits.get(name)?.push(wait(service, true))
}

/** No part of the release any more, or the two exchange something: the holder is removed first. */
function giveWay(
  { name, resource, service }: Omit<Conflict, 'onFailure'>,
  gives: Link[],
  now: ObservedServer,
  chains: Chains,
): void {
  const [head, ...rest] = gives
  const deployment = now.services.find((one) => one.service === service)?.deployment ?? null
  const made: Link = {
    ...{ kind: 'remove', service, deployment, id: `remove ${service}`, onFailure: 'lost', takenBy: name },
    reason: `${name} takes over ${resource.label}, which only one can have at a time`,
  }
  const first = head?.kind === 'remove' ? head : made
  chains.set(service, [{ ...first, ...(head && { now: true as const }) }, ...(head === first ? rest : gives)])
}

/** Whether one waits for the other, by however many steps. */
function leads(from: string, to: string, chains: Chains, waits: Waits, seen = new Set<string>()): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  // A removal waits for what its service waits for, unless it has been told to wait for nobody.
  const isFree = ({ service, gone }: Wait) => gone && chains.get(service)?.[0]?.now === true
  return (waits.get(from) ?? []).some((one) => !isFree(one) && leads(one.service, to, chains, waits, seen))
}

type Conflict = { name: string; resource: Resource; service: string; onFailure: Fate }

/** `name` is to start with something that `service` has, and is not to have in the end. */
function conflicts(
  chains: Chains,
  targets: Map<string, Target>,
  { now, wanted }: { now: ObservedServer; wanted: Wanted },
): Conflict[] {
  return [...chains].flatMap(([name, links]) => {
    const { spec, onFailure } = targets.get(name) ?? {}
    if (!spec || !onFailure || !links.some(({ kind }) => kind === 'apply' || kind === 'run-job')) return []
    return spec.needs.flatMap((resource) =>
      holdersOf(resource, now).flatMap((service) => {
        const keeps = targets.get(service)?.spec?.holds.some((one) => clash(resource.id, one))
        // Both had it in the release before: they may go on with it until their turn comes.
        const shared = isShared({ services: [], prior: wanted.prior }, name, service, resource.id)
        return service === name || keeps || shared ? [] : [{ name, resource, service, onFailure }]
      }),
    )
  })
}

/** Tasks that have it, also where their service is gone, and services that may take it at any moment. */
const holdersOf = ({ id }: Resource, { held, services }: ObservedServer): string[] => [
  ...new Set([
    ...held.filter((one) => clash(one.resource, id)).map(({ service }) => service),
    ...services.filter(({ claims }) => claims.some((one) => clash(one, id))).map(({ service }) => service),
  ]),
]
