import type { ServerCheck, ServerReport } from '@slipway/contract/servers'
import type { EngineFacts } from '../../drivers/engine/engine.ts'
import { failed, ok, unknown, warning } from './check-line.ts'
import { type Holes, metadata, patches, privileges, volumes } from './security-report.ts'

/** What a driver throws when the server, and not our code, is to blame. */
export type Failure = { code: string; message: string; hint: string }

const GIB = 1024 ** 3
const DISK_WANTED = 5 * GIB
const MEMORY_WANTED = 0.5 * GIB
const WEB_PORTS = [80, 443]

/** What was found, in words: each line says what to do when something is to be done. */
type Around = { owner: Owner | null; holes: Holes | null; blockedNetworks: string[] }

export function reportFacts(facts: EngineFacts, { owner, holes, blockedNetworks }: Around): ServerReport {
  const checks = [
    ok('connection', facts.hostKey === null ? 'the local socket answers' : `SSH works, host key ${facts.hostKey}`),
    ok('engine', `Docker Engine ${facts.engine.version} on ${facts.engine.os}, ${facts.engine.arch}`),
    swarm(facts.swarm),
    ...(owner ? [organization(owner)] : []),
    disk(facts.disk),
    memory(facts.memory),
    ports(facts.listeningPorts),
    patches(facts.engine),
    ...(holes ? [volumes(holes), privileges(holes)] : []),
    metadata(facts.nameServers, blockedNetworks),
  ]
  return {
    ok: checks.every((check) => check.state !== 'failed'),
    checkedAt: new Date().toISOString(),
    engineVersion: facts.engine.version,
    swarm: facts.swarm.state,
    cpus: facts.engine.cpus,
    memoryBytes: facts.memory?.totalBytes ?? facts.engine.memoryBytes,
    memoryAvailableBytes: facts.memory?.availableBytes ?? null,
    diskBytes: facts.disk?.totalBytes ?? null,
    diskFreeBytes: facts.disk?.freeBytes ?? null,
    portsInUse: facts.listeningPorts,
    checks,
  }
}

/** Whom the engine serves, and who asks. */
type Owner = { org: string | null; us: string; foreign: string | null }

function organization({ org, us, foreign }: Owner): ServerCheck {
  if (foreign !== null) {
    return failed(
      'organization',
      `serves another instance of Slipway, ${foreign}`,
      'Nothing is changed there. Use another server; if the other instance is gone for good, whoever runs this one takes it over with `slipway-server admin instance adopt --server ID`.',
    )
  }
  if (org === us) return ok('organization', 'serves this organization')
  if (org === null) return ok('organization', 'serves no organization yet')
  return failed(
    'organization',
    'serves another organization',
    'Use another server: whoever deploys to a server is close to it, so it carries one organization.',
  )
}

const NOTHING = { engineVersion: null, swarm: null, cpus: null, memoryBytes: null, memoryAvailableBytes: null }

export function reportFailure(failure: Failure): ServerReport {
  const engine = failure.code.startsWith('engine_')
  const checks: ServerCheck[] = engine
    ? [ok('connection', 'the server was reached'), failed('engine', failure.message, failure.hint)]
    : [failed('connection', failure.message, failure.hint)]
  const rest = { diskBytes: null, diskFreeBytes: null, portsInUse: null }
  return { ok: false, checkedAt: new Date().toISOString(), ...NOTHING, ...rest, checks }
}

function swarm(state: EngineFacts['swarm']): ServerCheck {
  if (state.state === 'active' && state.isManager) return ok('swarm', `active, manager of ${state.nodes ?? 1} node(s)`)
  if (state.state === 'active') {
    return failed('swarm', 'active, but this node is a worker', 'Add the manager of this Swarm as the server instead.')
  }
  if (state.state === 'inactive') {
    return { name: 'swarm', state: 'failed', found: 'not in Swarm mode', fix: 'Run `docker swarm init` on the server.' }
  }
  const why = state.error ? `${state.state}: ${state.error}` : state.state
  return failed(
    'swarm',
    why,
    'Look at `docker info` on the server; `docker swarm leave --force` and `init` starts anew.',
  )
}

function disk(space: EngineFacts['disk']): ServerCheck {
  if (!space) return unknown('disk', 'free space could not be read')
  const found = `${gib(space.freeBytes)} free of ${gib(space.totalBytes)} at ${space.path}`
  if (space.freeBytes >= DISK_WANTED) return ok('disk', found)
  return warning('disk', found, 'Free some space or enlarge the disk: builds need room for images and cache.')
}

function memory(space: EngineFacts['memory']): ServerCheck {
  if (!space) return unknown('memory', 'free memory could not be read')
  const found = `${gib(space.availableBytes)} available of ${gib(space.totalBytes)}`
  if (space.availableBytes >= MEMORY_WANTED) return ok('memory', found)
  return warning('memory', found, 'Stop what is not needed or add memory: a build may take half a gigabyte and more.')
}

function ports(inUse: number[] | null): ServerCheck {
  if (!inUse) return unknown('ports', 'ports in use could not be read')
  const taken = WEB_PORTS.filter((port) => inUse.includes(port))
  if (taken.length === 0) return ok('ports', `80 and 443 are free; in use: ${inUse.join(', ') || 'none'}`)
  const what = `${taken.join(' and ')} in use`
  return warning('ports', what, `Free port ${taken.join(' and ')} for the edge, or configure other ports for it.`)
}

const gib = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`
