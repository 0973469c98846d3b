import { posix } from 'node:path'
import { at, leaves, type Place } from './faults.ts'
import type { Sources } from './sources.ts'
import { type Dict, isDict, isList, mapDict, own, type Value } from './values.ts'

/** Turns a path as it is written into one of the tree. */
type Resolve = (path: string, place: Place) => string

/** What a build may take from elsewhere than the tree: addresses and images, which the builder fetches. */
const REMOTE = /^(https?|git|ssh|docker-image):\/\/|^github\.com\/|^git@|^service:/
/** Any other scheme could be a path of the machine in disguise. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

export const isRemote = (context: string) => REMOTE.test(context)

/** Every path of a model becomes a path of the tree, so that files of different folders can be laid over each other. */
export function resolvePaths(model: Dict, folder: string, sources: Sources, file: string): Dict {
  const inTree: Resolve = (path, place) => sources.inside(folder, path, place)
  const sections: Record<string, (value: Value, place: Place) => Value> = {
    services: (value, place) => service(value, place, inTree),
    volumes: (value, place) => volume(value, place, inTree),
    configs: fields({ file: text(inTree) }),
    secrets: fields({ file: text(inTree) }),
  }
  return mapDict(model, (section, name) => {
    const change = own(sections, name)
    if (!change || !isDict(section)) return section
    return mapDict(section, (value, key) => change(value, { file, path: [name, key] }))
  })
}

type Change = (value: Value, place: Place) => Value

const text =
  (resolve: Resolve): Change =>
  (value, place) =>
    typeof value === 'string' ? resolve(value, place) : value

const fields =
  (changes: Record<string, Change>): Change =>
  (value, place) => {
    if (!isDict(value)) return value
    return mapDict(value, (inner, key) => {
      const change = own(changes, key)
      return change ? change(inner, at(place, key)) : inner
    })
  }

const items =
  (change: Change): Change =>
  (value, place) => {
    if (isList(value)) return value.map((item, n) => change(item, at(place, n)))
    return change(value, place)
  }

function service(value: Value, place: Place, inTree: Resolve): Value {
  const context: Resolve = (path, here) => {
    if (REMOTE.test(path)) return path
    if (SCHEME.test(path)) throw leaves(here, path, 'is not a place that a build may read')
    return inTree(path, here)
  }
  const build = fields({ context: text(context), additional_contexts: contexts(context) })
  return fields({
    build: (inner, here) => (typeof inner === 'string' ? context(inner, here) : build(inner, here)),
    env_file: items((item, here) =>
      typeof item === 'string' ? inTree(item, here) : fields({ path: text(inTree) })(item, here),
    ),
    label_file: items(text(inTree)),
    extends: fields({ file: text(inTree) }),
    develop: fields({ watch: items(fields({ path: text(inTree) })) }),
    volumes: items((item, here) => mount(item, here, inTree)),
  })(value, place)
}

const contexts =
  (context: Resolve): Change =>
  (value, place) => {
    if (isDict(value)) return mapDict(value, (inner, key) => text(context)(inner, at(place, key)))
    if (!isList(value)) return value
    return value.map((item, n) => {
      const [, name = '', path = ''] = typeof item === 'string' ? (/^([^=]*)=(.*)$/s.exec(item) ?? []) : []
      return name === '' ? item : `${name}=${context(path, at(place, n))}`
    })
  }

/** Paths of the machine stay as they are; whether they may be mounted is decided later. */
function mount(value: Value, place: Place, inTree: Resolve): Value {
  if (!isDict(value) || value.type !== 'bind' || typeof value.source !== 'string') return value
  const { source } = value
  if (/^[a-zA-Z]:[\\/]/.test(source)) return value
  if (/^[/~]/.test(source)) return { ...value, source: posix.normalize(source).replace(/(.)\/$/, '$1') }
  return { ...value, source: inTree(source, at(place, 'source')) }
}

/** A volume of the local driver may be a folder in disguise. */
function volume(value: Value, place: Place, inTree: Resolve): Value {
  if (!isDict(value) || value.driver !== 'local' || !isDict(value.driver_opts)) return value
  const { device, o } = value.driver_opts
  if (o !== 'bind' || typeof device !== 'string' || /^[/~]/.test(device)) return value
  const resolved = inTree(device, at(place, 'driver_opts', 'device'))
  return { ...value, driver_opts: { ...value.driver_opts, device: resolved } }
}
