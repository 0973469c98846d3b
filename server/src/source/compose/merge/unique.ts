import { fault, type Place } from '../faults.ts'
import { type Dict, isDict, isList, mapDict, own, type Scalar, textOf, type Value } from '../values.ts'

type Key = (value: Value, place: Place) => string

/** Of several entries that mean the same thing, the last counts, in the place of the first. */
export function unique(model: Dict, place: Place): Dict {
  return mapDict(model, (section, name) => {
    if (name !== 'services' || !isDict(section)) return section
    return mapDict(section, (service, key) =>
      isDict(service) ? uniqueIn(service, { ...place, path: [...place.path, name, key] }) : service,
    )
  })
}

function uniqueIn(service: Dict, place: Place): Dict {
  return mapDict(service, (value, key) => {
    const here = { ...place, path: [...place.path, key] }
    if (key === 'build' || key === 'deploy') {
      return isDict(value) ? mapDict(value, (inner, name) => keep(inner, NESTED[`${key}.${name}`], here)) : value
    }
    if (key === 'networks' && isDict(value)) {
      return mapDict(value, (network) =>
        isDict(network) ? mapDict(network, (list) => keep(list, whole, here)) : network,
      )
    }
    return keep(value, own(KEYS, key), here)
  })
}

function keep(value: Value, key: Key | undefined, place: Place): Value {
  if (!key || !isList(value)) return value
  const last = new Map<string, Value>()
  for (const item of value) last.set(key(item, place), item)
  return [...last.values()]
}

const whole: Key = (value, place) => (isDict(value) || isList(value) ? notHere(place) : `${textOf(value)}`)

function notHere(place: Place): never {
  throw fault(place, 'a mapping or a list stands inside of the list', 'Write one text per entry.')
}

const beforeEquals: Key = (value, place) =>
  typeof value === 'string' ? (value.split('=', 1)[0] ?? '') : notHere(place)

const field =
  (...names: string[]): Key =>
  (value) => {
    if (!isDict(value)) return textOf(value as Scalar)
    const name = names.find((one) => value[one] !== undefined)
    return name === undefined ? '' : textOf(value[name] as Scalar)
  }

const target =
  (fallback: string): Key =>
  (value) =>
    isDict(value) && value.target !== undefined
      ? textOf(value.target as Scalar)
      : `${fallback}${field('source')(value, { file: '', path: [] })}`

/** A port given as a number is not the one given as text: compose tells them apart too. */
const port: Key = (value) => {
  if (!isDict(value)) return `short ${textOf(value as Scalar)}`
  const { host_ip = '0.0.0.0', published = null, target = null, protocol = 'tcp' } = value
  return [host_ip, typeof published, published, target, protocol].map((part) => textOf(part as Scalar)).join(' ')
}

const mount: Key = (value) => {
  if (isDict(value)) return textOf((value.target ?? null) as Scalar)
  return `short ${textOf(value as Scalar)}`
}

const KEYS: Record<string, Key> = {
  annotations: beforeEquals,
  cap_add: whole,
  cap_drop: whole,
  configs: target('/'),
  devices: field('target'),
  dns: whole,
  dns_opt: whole,
  dns_search: whole,
  env_file: field('path'),
  environment: beforeEquals,
  expose: whole,
  labels: beforeEquals,
  links: whole,
  ports: port,
  profiles: whole,
  secrets: target('/run/secrets/'),
  sysctls: beforeEquals,
  tmpfs: whole,
  volumes: mount,
}

const NESTED: Record<string, Key> = {
  'build.additional_contexts': beforeEquals,
  'build.args': beforeEquals,
  'build.labels': beforeEquals,
  'build.tags': whole,
  'deploy.labels': beforeEquals,
}
