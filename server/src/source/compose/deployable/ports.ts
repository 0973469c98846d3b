import { at, fault, type Place, quoted } from '../faults.ts'
import type { NormalPort, NormalService } from '../project.ts'
import type { ComposeService, Protocol } from './service.ts'

const PROTOCOLS: readonly string[] = ['tcp', 'udp', 'sctp']
const EVERYWHERE = new Set(['', '0.0.0.0', '::'])

type View = { place: Place; warn(key: string, message: string): void }

/** Ports of the server. What is not asked for by number, or only for one address, is not opened to the world. */
export function publishedPorts({ ports = [] }: NormalService, view: View): ComposeService['ports'] {
  return ports.flatMap((port, n) => {
    const { target, host_ip: address = '' } = port
    const protocol = protocolOf(port.protocol, at(view.place, 'ports', n))
    const published = publishedOf(port, at(view.place, 'ports', n), view)
    if (published === undefined) return []
    if (!EVERYWHERE.has(address)) {
      view.warn('ports', `Port ${target} is not opened on the server: it would be reachable at more than ${address}.`)
      return []
    }
    return [{ target, published, protocol }]
  })
}

function publishedOf({ target, published = '' }: NormalPort, place: Place, { warn }: View): number | undefined {
  if (published === '' || published === '0') {
    warn('ports', `Port ${target} is open to the project and its domains; no port of the server is chosen for it.`)
    return undefined
  }
  const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(published) ?? []
  if (first === undefined || Number(first) > 65535) {
    throw fault(place, `${quoted(published)} is no port`, 'Write a number from 1 to 65535.')
  }
  if (last !== undefined) warn('ports', `Of ${published}, port ${first} of the server is used for port ${target}.`)
  return Number(first)
}

/** Where the service listens: what it exposes and the inside of what it publishes. */
export function exposedPorts(
  { ports = [], expose = [] }: NormalService,
  { place, warn }: View,
): ComposeService['exposed'] {
  const exposed = new Map<string, ComposeService['exposed'][number]>()
  const add = (port: number, protocol: Protocol) => exposed.set(`${port}/${protocol}`, { port, protocol })
  for (const [n, port] of ports.entries()) add(port.target, protocolOf(port.protocol, at(place, 'ports', n)))
  for (const spec of expose) {
    const [, first, last = first, protocol = 'tcp'] = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp|sctp))?$/.exec(spec) ?? []
    const range = Number(last) - Number(first)
    if (first === undefined || Number(last) > 65535 || range < 0 || range > 100) {
      warn('expose', `${quoted(spec)} is not read as a port; services of the project reach every port anyway.`)
    } else for (let n = 0; n <= range; n++) add(Number(first) + n, protocol as Protocol)
  }
  return [...exposed.values()]
}

function protocolOf(written: string, place: Place): Protocol {
  const protocol = written.toLowerCase()
  if (PROTOCOLS.includes(protocol)) return protocol as Protocol
  throw fault(at(place, 'protocol'), `${quoted(written)} is no protocol`, 'Use tcp, udp or sctp.')
}
