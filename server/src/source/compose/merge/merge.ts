import { at, fault, type Place } from '../faults.ts'
import { asKeys, dependencies } from '../forms/canonical.ts'
import {
  type Dict,
  dictOf,
  emptyDict,
  isDict,
  isList,
  mapDict,
  own,
  type Scalar,
  textOf,
  type Value,
} from '../values.ts'

type Merge = (base: Value, over: Value, place: Place) => Value

/** A later file laid over an earlier one, by compose's rules: mappings merge, lists grow, most other things give way. */
export function merge(base: Value, over: Value, place: Place): Value {
  const special = specialFor(place.path)
  if (special) return special(base, over, place)
  if (over === null) return base
  if (isDict(base)) return isDict(over) ? mergeDicts(base, over, place) : cannot(place)
  if (isList(base)) return isList(over) ? [...base, ...over] : cannot(place)
  return over
}

function mergeDicts(base: Dict, over: Dict, place: Place): Dict {
  const merged = Object.assign(emptyDict(), base) as Dict
  for (const [key, value] of Object.entries(over)) {
    const before = own(base, key)
    // Extensions are nobody's to merge; the names of services and the like may begin the same way.
    const replaced = before === undefined || (key.startsWith('x-') && place.path.length !== 1)
    merged[key] = replaced ? value : merge(before, value, at(place, key))
  }
  return merged
}

function cannot(place: Place): never {
  throw fault(
    place,
    'it is of another kind than in the file that this one adds to',
    'Use the same spelling in both, or !override in front of the value to replace it.',
  )
}

const replace: Merge = (_, over) => over

/** Both as a mapping, whichever way they are written. */
const asPairs: Merge = (base, over, place) => {
  if (over === null) return base
  const both = [base, over].map((value) => (isList(value) ? pairsOf(value) : value))
  if (!both.every(isDict)) return cannot(place)
  return Object.assign(emptyDict(), ...both) as Dict
}

export function pairsOf(list: Value[]): Dict {
  return dictOf(
    list.map((item): [string, Value] => {
      const text = textOf(item as Scalar)
      const equals = text.indexOf('=')
      return equals === -1 ? [text, null] : [text.slice(0, equals), text.slice(equals + 1)]
    }),
  )
}

const asMapping =
  (change: (value: Value) => Value): Merge =>
  (base, over, place) => {
    if (over === null) return base
    const [left, right] = [change(base), change(over)]
    return isDict(left) && isDict(right) ? mergeDicts(left, right, place) : cannot(place)
  }

const asLists: Merge = (base, over) => {
  if (over === null) return base
  return [...(isList(base) ? base : [base]), ...(isList(over) ? over : [over])]
}

const hosts: Merge = (base, over) => {
  if (over === null) return base
  const lists = [base, over].map((value) => (isDict(value) ? hostLines(value) : isList(value) ? value : [value]))
  return [...new Set(lists.flat())]
}

const hostLines = (value: Dict): Value[] =>
  Object.entries(value).flatMap(([name, addresses]) =>
    (isList(addresses) ? addresses : [addresses]).map((address) => `${name}=${textOf(address as Scalar)}`),
  )

/** The options of one driver mean nothing to another. */
const logging: Merge = (base, over, place) => {
  if (!isDict(base) || !isDict(over)) return over === null ? base : over
  const differ = 'driver' in base && 'driver' in over && base.driver !== over.driver
  return differ ? over : mergeDicts(base, over, place)
}

const build = asMapping((value) => (typeof value === 'string' ? dictOf([['context', value]]) : value))

const SERVICE: Record<string, Merge> = {
  annotations: asPairs,
  build,
  'build.additional_contexts': asPairs,
  'build.args': asPairs,
  'build.extra_hosts': hosts,
  'build.labels': asPairs,
  'build.ssh': asPairs,
  command: replace,
  depends_on: asMapping(dependencies),
  'deploy.labels': asPairs,
  dns: asLists,
  dns_search: asLists,
  entrypoint: replace,
  env_file: asLists,
  environment: asPairs,
  extra_hosts: hosts,
  'healthcheck.test': replace,
  label_file: asLists,
  labels: asPairs,
  logging,
  networks: asMapping((value) => asKeys(value)),
  sysctls: asPairs,
  tmpfs: asLists,
}

/** The later file says which subnets there are; of those that both name, it may leave things out. */
const subnets: Merge = (base, over, place) => {
  if (!isList(base) || !isList(over)) return over === null ? base : over
  return over.map((item) => {
    const before = base.find((other) => isDict(other) && isDict(item) && other.subnet === item.subnet)
    return isDict(before) && isDict(item) ? mergeDicts(before, item, place) : item
  })
}

function specialFor([section, , ...keys]: readonly string[]): Merge | undefined {
  const key = keys.join('.')
  if (section !== 'services') return key === 'labels' ? asPairs : key === 'ipam.config' ? subnets : undefined
  if (keys.length === 2 && keys[0] === 'ulimits') return replace
  if (keys.length === 3 && keys[0] === 'build' && keys[1] === 'ulimits') return replace
  return own(SERVICE, key)
}

/** Takes away what `!reset` and `!override` of a later file throw out. */
export function clear(model: Dict, cleared: readonly string[][]): Dict {
  return cleared.reduce((rest, path) => without(rest, path), model)
}

function without(dict: Dict, [key, ...deeper]: string[]): Dict {
  if (key === undefined || !(key in dict)) return dict
  if (deeper.length === 0) return dictOf(Object.entries(dict).filter(([name]) => name !== key))
  return mapDict(dict, (value, name) => (name === key && isDict(value) ? without(value, deeper) : value))
}
