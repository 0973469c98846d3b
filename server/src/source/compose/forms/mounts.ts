import { posix } from 'node:path'
import { fault, type Place, quoted } from '../faults.ts'
import { type Dict, dictOf, type Value } from '../values.ts'

const PROPAGATION = ['private', 'rprivate', 'shared', 'rshared', 'slave', 'rslave']

/** `./data:/data:ro` in full. What begins with a dot, a slash or a tilde is a path; other sources are volumes. */
export function mountOf(spec: string, place: Place): Dict {
  if (spec === '') throw badMount(place, spec, 'it is empty')
  // Too short to say more than a place.
  if (spec.length <= 2) return dictOf(Object.entries({ type: 'volume', target: spec }))
  const parts = splitSpec(spec)
  if (parts.includes('')) throw badMount(place, spec, 'there is nothing between two colons')
  if (parts.length > 3) throw badMount(place, spec, 'there are too many colons')
  const [first = '', second, options = ''] = parts
  if (second === undefined) return dictOf(Object.entries({ type: 'volume', target: clean(first), volume: dictOf([]) }))
  const bind = isPath(first)
  return dictOf([
    ['type', bind ? 'bind' : 'volume'],
    ['source', first],
    ['target', clean(second)],
    ...optionsOf(options.split(','), bind),
  ])
}

/** Options for the other kind are written down all the same, as compose does. */
function optionsOf(options: string[], bind: boolean): [string, Value][] {
  const ofBind: [string, Value][] = bind ? [['create_host_path', true]] : []
  const ofVolume: [string, Value][] = []
  let readOnly = false
  for (const option of options) {
    if (option === 'ro' || option === 'rw') readOnly = option === 'ro'
    if (option === 'nocopy') ofVolume.push(['nocopy', true])
    if (option === 'z' || option === 'Z') ofBind.push(['selinux', option])
    if (PROPAGATION.includes(option)) ofBind.push(['propagation', option])
  }
  const said: [string, Value][] = readOnly ? [['read_only', true]] : []
  if (ofBind.length > 0) said.push(['bind', dictOf(ofBind)])
  if (ofVolume.length > 0 || !bind) said.push(['volume', dictOf(ofVolume)])
  return said
}

const clean = (path: string) => posix.normalize(path).replace(/(.)\/$/, '$1')

const isPath = (source: string) => /^[./~]/.test(source) || isDrive(source)

/** `c:/data`, as Windows writes paths: compose sees one in any name of a single letter. */
const isDrive = (source: string) => /^[a-zA-Z]:/.test(source)

function splitSpec(spec: string): string[] {
  const parts = ['']
  for (const char of spec) {
    const current = parts.at(-1) ?? ''
    if (char === ':' && !/^[a-zA-Z]$/.test(current)) parts.push('')
    else parts[parts.length - 1] = current + char
  }
  return parts
}

const badMount = (place: Place, spec: string, why: string) =>
  fault(
    place,
    `the volume ${quoted(spec)} cannot be read: ${why}`,
    'Write NAME:/path/in/container or ./folder:/path/in/container, with :ro behind it for read-only.',
  )
