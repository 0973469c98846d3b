import type { FoundContainer } from '../../../drivers/runtime/reading/found.ts'
import { NAME } from './process.ts'
import { shown, type Tell } from './verdict.ts'

export type CarriedPort = { target: number; published: number; protocol: 'tcp' | 'udp' }

/** Never opened wider than they were: one that only the server itself could reach would be open to everyone. */
export function portsOf(
  { host, openPorts }: FoundContainer,
  edgePorts: readonly number[],
  { warn }: Tell,
): CarriedPort[] {
  const ports: CarriedPort[] = []
  if (host.publishAll) warn('ports', 'Each port that it exposes had a port of the server by chance; here none has one.')
  for (const { target, protocol, address, published: said } of host.ports) {
    const chance = openPorts.find((one) => one.target === target && one.protocol === protocol)?.published ?? 0
    const published = Number(said) || chance
    const isEverywhere = ['', '0.0.0.0', '::'].includes(address)
    if (!isPort(target)) continue
    if (Number(said) === 0)
      warn('ports', `Port ${target} had port ${published || 'none'} of the server by chance; none is opened.`)
    else if (!isPort(published))
      warn('ports', `${shown(said)} is not a single port of the server; none is opened for ${target}.`)
    else if (protocol !== 'tcp' && protocol !== 'udp')
      warn('ports', `Port ${published} is not opened for ${shown(protocol.toUpperCase())}.`)
    else if (edgePorts.includes(published))
      warn(
        'ports',
        `Port ${published} of the server belongs to the edge here, which leads the names of the project to its services.`,
      )
    else if (!isEverywhere)
      warn(
        'ports',
        `Port ${published} was open at ${shown(address)} only. It is not opened: it would be open at every address.`,
      )
    else if (!ports.some((one) => one.published === published && one.protocol === protocol))
      ports.push({ target, published, protocol })
  }
  return ports
}

const isPort = (port: number) => Number.isInteger(port) && port >= 1 && port <= 65_535

/** A network that leads nowhere, of the service alone. */
export const ALONE = 'none'

/**
 * Each network stays one of the project's own, with its names on it alone: two services that are both called `postgres`, each on a
 * network of its own, must not answer for one another.
 */
export function networksOf(found: FoundContainer, tell: Tell): { network: string; aliases: string[] }[] {
  const { host, networks, id, name } = found
  const mode = host.networkMode
  if (mode === 'host') tell.refuse('network_mode', 'It shares the network of the server itself.')
  else if (mode.startsWith('container:')) tell.refuse('network_mode', 'It shares the network of another container.')
  else if (mode === 'none')
    tell.warn('network_mode', 'It had no network; here it has one of its own that leads nowhere.')
  for (const link of host.links) {
    const [from = '', to = ''] = link.split(':')
    tell.warn(
      'links',
      `It knew ${shown(from.slice(1))} as ${shown(to.split('/').at(-1) ?? '')}; that must be a name of a service that is adopted with it.`,
    )
  }
  const own = new Set([id.slice(0, 12), ''])
  return networks.flatMap(({ name: network, aliases, fixedAddress }) => {
    if (network === 'host') return []
    if (network === 'none') return [{ network: `${ALONE}-${name}`, aliases: [] }]
    if (fixedAddress) tell.warn('networks', `Its fixed address on ${shown(network)} is not kept.`)
    // The default bridge knows no names.
    const names = network === 'bridge' ? [] : [...new Set([name, ...aliases])].filter((alias) => !own.has(alias))
    const odd = names.filter((alias) => !NAME.test(alias))
    if (odd.length > 0) tell.warn('networks', `It is not found as ${shown(odd.join(', '))}, which is no name.`)
    return [{ network, aliases: names.filter((alias) => NAME.test(alias)) }]
  })
}
