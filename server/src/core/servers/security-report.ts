import { BlockList, isIPv4 } from 'node:net'
import type { ServerCheck } from '@slipway/contract/servers'
import type { EngineFacts } from '../../drivers/engine/engine.ts'
import { ok, unknown, warning } from './check-line.ts'

/** What earlier versions of the platform made on an engine and no version makes any more. */
export type Holes = { volumes: string[]; services: string[] }

/** From which versions on known ways out of a container are closed, newest line first; the last is for all before. */
const PATCHED = {
  // BuildKit in the engine: CVE-2024-23651, -23652, -23653.
  engine: ['25.0.2', '24.0.9'],
  // CVE-2025-31133, -52565, -52881; before them CVE-2024-21626.
  runc: ['1.4.0', '1.3.3', '1.2.8'],
}

export function patches({ version, runc }: Pick<EngineFacts['engine'], 'version' | 'runc'>): ServerCheck {
  const old = [
    ...(isPatched(version, PATCHED.engine) ? [] : [`Docker Engine ${version}`]),
    ...(runc === null || isPatched(runc, PATCHED.runc) ? [] : [`runc ${runc}`]),
  ]
  if (old.length === 0) return ok('patches', 'no known way out of a container is open')
  return warning(
    'patches',
    `${old.join(' and ')}: there are known ways out of a container`,
    'Update Docker and runc. A distribution may have closed them under an older number: its security notes say so.',
  )
}

/** A version counts in its own line; lines before the last that got a patch never did. */
export function isPatched(version: string, lines: string[]): boolean {
  const [major, minor, patch] = numbersOf(version)
  const line = lines.map(numbersOf).find(([a, b]) => a === major && (b === minor || a >= 20))
  const newest = numbersOf(lines[0] ?? '')
  if (line) return line[1] === minor ? patch >= line[2] : minor > line[1]
  return major > newest[0] || (major === newest[0] && minor > newest[1])
}

function numbersOf(version: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split(/[^\d]+/).map(Number)
  return [major, minor, patch]
}

const some = (names: string[]) =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`

export function volumes({ volumes: found }: Holes): ServerCheck {
  if (found.length === 0) return ok('volumes', 'no volume of ours mounts anything else')
  return warning(
    'volumes',
    `made with mount options, so that they may be any folder of the server: ${some(found)}`,
    'Look at them (docker volume inspect), save what belongs to a project, and remove them; services that use one are not started.',
  )
}

export function privileges({ services }: Holes): ServerCheck {
  if (services.length === 0) return ok('privileges', 'no service of ours can send raw packets')
  return warning(
    'privileges',
    `started by an earlier version, with the right to send raw packets: ${some(services)}`,
    'Deploy them again.',
  )
}

export function metadata(nameServers: string[] | null, blocked: string[]): ServerCheck {
  if (blocked.length === 0) {
    return warning('metadata', 'containers reach every network that the server does', 'Set SLIPWAY_BLOCKED_NETWORKS.')
  }
  if (!nameServers) return unknown('metadata', 'name servers could not be read')
  const list = new BlockList()
  for (const network of blocked) list.addSubnet(network.split('/')[0] ?? '', Number(network.split('/')[1]), 'ipv4')
  const open = nameServers.filter((address) => isIPv4(address) && list.check(address, 'ipv4'))
  if (open.length === 0) return ok('metadata', `containers do not reach ${blocked.join(', ')}`)
  return warning(
    'metadata',
    `the server asks ${open.join(', ')} for names, so containers reach that address, and what else answers there`,
    'Give the server another name server, or have the metadata service of your cloud ask for a header or a hop limit of one.',
  )
}
