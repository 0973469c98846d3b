import { at, fault, type Place } from '../faults.ts'
import type { Budget } from '../limits.ts'
import { type Dict, dictOf, Float, isDict, isList, mapDict, own, type Scalar, textOf, type Value } from '../values.ts'
import { mountOf } from './mounts.ts'
import { portsOf } from './ports.ts'

type Change = (value: Value, place: Place, budget: Budget) => Value

/** Every short form written out: what follows knows one spelling of each key. */
export function canonical(model: Dict, place: Place, budget: Budget): Dict {
  return mapDict(model, (section, name) => {
    const change = own(SECTIONS, name)
    if (!change || !isDict(section)) return section
    return mapDict(section, (value, key) => change(value, at(place, name, key), budget))
  })
}

const changed = (changes: Record<string, Change>): Change => {
  return (value, place, budget) => {
    if (!isDict(value)) return value
    return mapDict(value, (inner, key) => {
      const change = own(changes, key)
      return change && inner !== null ? change(inner, at(place, key), budget) : inner
    })
  }
}

const keyed =
  (key: string): Change =>
  (value) =>
    isDict(value) ? value : dictOf([[key, value]])

const listed: Change = (value) => (typeof value === 'string' ? [value] : value)

const each =
  (change: Change): Change =>
  (value, place, budget) =>
    isList(value) ? value.map((item, n) => change(item, at(place, n), budget)) : value

/** `[a, b]` as keys without a value. */
export const asKeys = (value: Value, inner: () => Value = () => null): Value =>
  isList(value) ? dictOf(value.map((name) => [textOf(name as Scalar), inner()])) : value

/** The same, for a list in which nothing may stand twice. */
const asUniqueKeys =
  (inner?: () => Value): Change =>
  (value, place) => {
    const twice = isList(value) ? value.findIndex((name, n) => value.indexOf(name) !== n) : -1
    if (twice !== -1) throw fault(at(place, twice), 'the same name is there twice', 'Remove one of the two.')
    return asKeys(value, inner)
  }

const started = () =>
  dictOf([
    ['condition', 'service_started'],
    ['required', true],
  ])

export const dependencies = (value: Value): Value => asKeys(value, started)

const secretReference: Change = (value, place, budget) => {
  const reference = keyed('source')(value, place, budget)
  if (!isDict(reference) || 'target' in reference) return reference
  return dictOf([...Object.entries(reference), ['target', `/run/secrets/${textOf(reference.source as Scalar)}`]])
}

const ports: Change = (value, place, budget) => {
  if (!isList(value)) return value
  return value.flatMap((item, n): Value[] => {
    if (item instanceof Float) throw fault(at(place, n), 'a port must be a whole number', 'Put the port in quotes.')
    if (!isDict(item)) return portsOf(textOf(item as Scalar), at(place, n), budget)
    budget.spend('ports')
    const filled = [['mode', 'ingress'], ['protocol', 'tcp'], ...Object.entries(item)] as [string, Value][]
    return [dictOf(filled)]
  })
}

const mount: Change = (value, place) => (typeof value === 'string' ? mountOf(value, place) : value)

const device: Change = (value) => {
  if (typeof value !== 'string') return value
  const [source = '', target = source, permissions = 'rwm'] = value.split(':')
  return dictOf(Object.entries({ source, target, permissions }))
}

const count: Change = (value, place) => {
  if (typeof value !== 'string') return value
  if (value === 'all') return -1
  if (/^\d+$/.test(value)) return Number(value)
  throw fault(place, 'the number of devices is neither a number nor "all"', 'Write a number, or all.')
}

const counted: Change = (value, place, budget) => {
  if (!isDict(value)) return value
  if (!('count' in value) && !('device_ids' in value)) return dictOf([...Object.entries(value), ['count', -1]])
  return changed({ count })(value, place, budget)
}

const external: Change = (value) => {
  if (!isDict(value)) return value
  const { external: said, ...rest } = value
  if (!isDict(said)) return value
  return dictOf([...Object.entries(rest), ['name', said.name ?? value.name], ['external', true]])
}

const service = changed({
  build: (value, place, budget) =>
    changed({ secrets: each(keyed('source')) })(keyed('context')(value, place, budget), place, budget),
  extends: keyed('service'),
  depends_on: asUniqueKeys(started),
  networks: asUniqueKeys(),
  env_file: (value, place, budget) =>
    each((item) => {
      const file = keyed('path')(item, place, budget)
      return isDict(file) ? dictOf([['required', true], ...Object.entries(file)]) : file
    })(listed(value, place, budget), place, budget),
  label_file: listed,
  dns: listed,
  dns_search: listed,
  tmpfs: listed,
  configs: each(keyed('source')),
  secrets: each(secretReference),
  ports,
  volumes: each(mount),
  devices: each(device),
  gpus: (value, place, budget) => each(counted)(value === 'all' ? [dictOf([])] : value, place, budget),
  deploy: changed({ resources: changed({ reservations: changed({ devices: each(counted) }) }) }),
})

const SECTIONS: Record<string, Change> = {
  services: service,
  networks: external,
  volumes: external,
  secrets: external,
  configs: external,
}
