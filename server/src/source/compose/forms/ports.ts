import { isIP } from 'node:net'
import { fault, type Place, quoted } from '../faults.ts'
import type { Budget } from '../limits.ts'
import { type Dict, dictOf } from '../values.ts'

type Range = { start: number; end: number }

/** `127.0.0.1:8000-8001:80-81/tcp` as one entry per port of the container. */
export function portsOf(spec: string, place: Place, budget: Budget): Dict[] {
  const [, address = '', proto = 'tcp'] = /^(.*?)(?:\/([^/]*))?$/s.exec(spec) ?? []
  const protocol = proto.toLowerCase()
  if (!['tcp', 'udp', 'sctp'].includes(protocol)) throw badPort(place, spec, `${quoted(proto)} is no protocol`)
  const { host, published, target } = parts(address, spec, place)
  const inside = rangeOf(target, place, spec)
  const outside = published === '' ? undefined : rangeOf(published, place, spec)
  const count = inside.end - inside.start + 1
  const fits = outside === undefined || outside.end - outside.start + 1 === count
  if (!fits && count > 1) throw badPort(place, spec, 'the two ranges are not of the same length')
  budget.spend('ports', count)
  return Array.from({ length: count }, (_, n) =>
    dictOf([
      ['mode', 'ingress'],
      ['host_ip', host === '' ? undefined : host],
      ['target', inside.start + n],
      ['published', outside && (fits ? String(outside.start + n) : `${outside.start}-${outside.end}`)],
      ['protocol', protocol],
    ]),
  )
}

function parts(address: string, spec: string, place: Place): { host: string; published: string; target: string } {
  const fields = address.split(':')
  const target = fields.pop() ?? ''
  const published = fields.pop() ?? ''
  const written = fields.join(':')
  const bracketed = /^\[(.*)\]$/.exec(written)?.[1]
  const host = bracketed ?? written
  if (target === '') throw badPort(place, spec, 'there is no port of the container')
  if (host !== '' && (bracketed === undefined ? isIP(host) !== 4 : isIP(host) === 0)) {
    throw badPort(place, spec, `${quoted(written)} is no address`)
  }
  return { host, published, target }
}

function rangeOf(text: string, place: Place, spec: string): Range {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const start = Number(from)
  const end = Number(to)
  if (from === undefined || start > 65535 || end > 65535 || start > end) {
    throw badPort(place, spec, `${quoted(text)} is no port`)
  }
  return { start, end }
}

const badPort = (place: Place, spec: string, why: string) =>
  fault(
    place,
    `${quoted(spec)} cannot be read: ${why}`,
    'Write PORT, HOST_PORT:PORT or ADDRESS:HOST_PORT:PORT, each with /udp behind it if need be, and put it in quotes.',
  )
