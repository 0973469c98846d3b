import { at, fault, type Place } from './faults.ts'
import type { Origins } from './reading.ts'
import { type Dict, isDict, isList, type Value } from './values.ts'

/** Long forms that lack what they cannot do without, wherever they stand, used or not. */
export function checkComplete(model: Dict, origins: Origins): void {
  for (const [name, service] of entries(model.services)) entryParts(service, origins.at('services', name))
  for (const [name, one] of entries(model.configs)) content(one, CONFIG, origins.at('configs', name))
  for (const [name, one] of entries(model.secrets)) content(one, SECRET, origins.at('secrets', name))
  for (const [name, one] of entries(model.volumes)) externalAlone(one, origins.at('volumes', name))
}

const CONFIG = ['file', 'environment', 'content']
const SECRET = ['file', 'environment']

function entries(section: Value | undefined): [string, Dict][] {
  return isDict(section) ? Object.entries(section).filter((entry): entry is [string, Dict] => isDict(entry[1])) : []
}

function items(value: Value | undefined): [number, Dict][] {
  return isList(value) ? [...value.entries()].filter((entry): entry is [number, Dict] => isDict(entry[1])) : []
}

function entryParts(service: Dict, place: Place): void {
  for (const [n, port] of items(service.ports)) {
    if (!port.target)
      throw fault(at(place, 'ports', n), 'it has no target port', 'Add the port inside of the container.')
  }
  for (const key of ['volumes', 'devices']) {
    for (const [n, one] of items(service[key])) {
      if (!one.target) throw fault(at(place, key, n), 'it has no target', 'Add the path inside of the container.')
    }
  }
  const deploy = isDict(service.deploy) ? service.deploy : {}
  const resources = isDict(deploy.resources) ? deploy.resources : {}
  const reservations = isDict(resources.reservations) ? resources.reservations : {}
  for (const [n, { count, device_ids }] of items(reservations.devices)) {
    const both = count !== undefined && device_ids !== undefined
    if (both)
      throw fault(
        at(place, 'deploy', 'resources', 'reservations', 'devices', n),
        'it has both count and device_ids',
        'Keep one.',
      )
  }
  const develop = isDict(service.develop) ? service.develop : {}
  for (const [n, { action, target }] of items(develop.watch)) {
    const bare = action !== 'rebuild' && !target
    if (bare)
      throw fault(at(place, 'develop', 'watch', n), 'it has no target', 'Add target, or use the action rebuild.')
  }
}

function content(entry: Dict, keys: string[], place: Place): void {
  const said = keys.filter((key) => key in entry)
  if (said.length > 1) throw fault(place, `it has both ${said.join(' and ')}`, 'Keep one of them.')
  const missing = said.length === 0 && entry.external !== true && !('driver' in entry)
  if (missing) throw fault(place, `it has none of ${keys.join(', ')}`, 'Add the one that its content comes from.')
}

function externalAlone(volume: Dict, place: Place): void {
  if (volume.external !== true) return
  const other = Object.keys(volume).find((key) => key !== 'external' && key !== 'name' && !key.startsWith('x-'))
  if (other !== undefined)
    throw fault(at(place, other), 'an external volume is described elsewhere', 'Remove it, or external.')
}
