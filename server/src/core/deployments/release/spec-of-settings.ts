import { splitCommand } from '@slipway/contract/command-line'
import type { ServiceConfig } from '@slipway/contract/services'
import type { ImageFacts } from '../../../drivers/runtime/images/images.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { Refusal } from '../../../errors.ts'

export const MIB = 1024 * 1024
export const DEFAULT_MEMORY = 512 * MIB

export type Wanted = {
  org: string
  project: string
  deployment: string
  service: string
  image: string
  facts: ImageFacts
  port: number
  config: ServiceConfig
  environment: Record<string, string>
  networks: ServiceSpec['networks']
  volumes?: ServiceSpec['volumes']
  ports?: ServiceSpec['ports']
}

/** A service's configuration and its image become the spec that runs: the defaults are chosen here and frozen with it. */
export function specOf(wanted: Wanted): ServiceSpec {
  const { config, facts, port } = wanted
  const command = argvOf(config.command)
  return {
    org: wanted.org,
    project: wanted.project,
    service: wanted.service,
    deployment: wanted.deployment,
    image: wanted.image,
    ...(command && { command }),
    environment: { PORT: String(port), ...wanted.environment },
    replicas: config.replicas ?? 1,
    memoryBytes: config.memoryMb === undefined ? DEFAULT_MEMORY : config.memoryMb * MIB,
    ...(config.cpus !== undefined && { cpus: config.cpus }),
    healthcheck: healthcheckOf(config, facts, port),
    stopGraceMs: 30_000,
    networks: wanted.networks,
    volumes: wanted.volumes ?? [],
    ...(wanted.ports && wanted.ports.length > 0 && { ports: wanted.ports }),
    init: true,
    restart: RESTART[config.restart ?? 'always'],
    order: 'start-first',
    monitorMs: 5_000,
  }
}

const RESTART = { no: 'never', 'on-failure': 'on-failure', always: 'always', 'unless-stopped': 'always' } as const

function argvOf(command: string | string[]): string[]
function argvOf(command: string | string[] | undefined): string[] | undefined
function argvOf(command: string | string[] | undefined): string[] | undefined {
  // One that was stored before its quotes were looked at is taken word by word.
  return typeof command === 'string' ? (splitCommand(command) ?? command.split(/\s+/)) : command
}

/** "Healthy" must mean something: a path if one is known, the image's own check, else that the port is open. */
export function healthcheckOf(config: ServiceConfig, facts: ImageFacts, port: number): ServiceSpec['healthcheck'] {
  const {
    path,
    command,
    // While it starts it is looked at every second. After that each look costs the server a process, and a hundred
    // services looked at every second would take it whole.
    intervalMs = 10_000,
    timeoutMs = 3000,
    retries = 3,
    startPeriodMs = 20_000,
  } = config.healthcheck ?? {}
  const times = { intervalMs, timeoutMs, retries, startPeriodMs }
  if (command !== undefined) return { kind: 'command', argv: argvOf(command), ...times }
  if (path !== undefined && facts.checks === 'http') return { kind: 'http', path, port, ...times }
  if (facts.healthcheck) return { kind: 'image', ...times }
  if (facts.checks === 'none') return { kind: 'none', ...times }
  return { kind: 'tcp', port, ...times }
}

/** `name:/path`, and `:ro` for one that is only read. */
export function mountsOf({ volumes = [] }: ServiceConfig, volumeOf: (key: string) => string): ServiceSpec['volumes'] {
  return volumes.map((line) => {
    const [key = '', target = '', mode = 'rw'] = line.split(':')
    if (!/^[A-Za-z0-9][\w.-]{0,62}$/.test(key) || !target.startsWith('/') || !['ro', 'rw'].includes(mode)) {
      throw new Refusal('invalid_request', `${JSON.stringify(line)} is not a volume.`, {
        field: 'volumes',
        hint: 'Write it as name:/path or name:/path:ro.',
      })
    }
    return { name: volumeOf(key), key, target, readOnly: mode === 'ro' }
  })
}

/** `8080:80` opens port 8080 of the server; a single port is only for its neighbours and the edge. */
export function publishedOf({ ports = [] }: ServiceConfig): NonNullable<ServiceSpec['ports']> {
  return ports.flatMap((line) => {
    const [, published, target, protocol = 'tcp'] = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp))?$/.exec(String(line)) ?? []
    if (published === undefined) return []
    return [{ target: Number(target), published: Number(published), protocol: protocol as 'tcp' | 'udp' }]
  })
}
