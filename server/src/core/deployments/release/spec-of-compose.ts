import type { ImageFacts } from '../../../drivers/runtime/images/images.ts'
import type { Healthcheck, ServiceSpec, VolumeMount } from '../../../drivers/runtime/rollout/spec.ts'
import type { ComposePlan, ServicePlan } from '../rows/blueprint.ts'
import { healthcheckOf, MIB } from './spec-of-settings.ts'

type Wanted = {
  org: string
  project: string
  deployment: string
  plan: ServicePlan & { compose: ComposePlan }
  image: string
  facts: ImageFacts
  /** Where it listens for the edge; null for one that nobody is led to. */
  port: number | null
  /** Variables of this service alone: they go before what the file says. */
  environment: Record<string, string>
  networks: ServiceSpec['networks']
  /** The names of the project's volumes, and of the one that holds what is mounted from the source. */
  volumeOf(key: string): string
  filesVolume: string
}

/** A service of a compose file as it runs: what the file says, under what the project says. */
export function specOfCompose(wanted: Wanted): ServiceSpec {
  const { plan, port, facts } = wanted
  const { compose, config, name } = plan
  const memoryBytes = config.memoryMb === undefined ? compose.limits.memoryBytes : config.memoryMb * MIB
  const cpus = config.cpus ?? compose.limits.cpus
  const { when, ...restartPolicy } = compose.restart
  return {
    org: wanted.org,
    project: wanted.project,
    service: name,
    deployment: wanted.deployment,
    image: wanted.image,
    ...(compose.command && { command: compose.command }),
    ...(compose.entrypoint && { entrypoint: compose.entrypoint }),
    environment: { ...compose.environment, ...wanted.environment },
    replicas: config.replicas ?? compose.replicas,
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(cpus !== undefined && { cpus }),
    healthcheck: config.healthcheck && port !== null ? healthcheckOf(config, facts, port) : checkOf(compose, facts),
    stopGraceMs: compose.stopGraceMs ?? STOP_MS,
    networks: wanted.networks,
    volumes: volumesOf(wanted),
    ...grantedOf(compose),
    ...(compose.ports.length > 0 && { ports: compose.ports.flatMap(published) }),
    init: compose.init,
    ...(compose.kind === 'job' && { job: true }),
    restart: when,
    ...(Object.keys(restartPolicy).length > 0 && { restartPolicy }),
    ...(compose.mayEnd && { mayEnd: true }),
    order: compose.order,
    ...(compose.canShare && { canShare: true }),
    monitorMs: MONITOR_MS,
    ...detailsOf(compose),
  }
}

/** As compose has it. */
const STOP_MS = 10_000
const MONITOR_MS = 5000

const published = ({ target, published, protocol }: ComposePlan['ports'][number]) =>
  protocol === 'sctp' ? [] : [{ target, published, protocol }]

function volumesOf({ plan, volumeOf, filesVolume }: Wanted): VolumeMount[] {
  const { mounts, memoryVolumes, adopted } = plan.compose
  const inPlace = (adopted?.mounts ?? []).flatMap(
    ({ kind, source, target, readOnly, copy, subpath }): VolumeMount[] => {
      if (kind !== 'volume') return []
      const more = { ...(!copy && { copy: false }), ...(subpath !== null && { subpath }) }
      return [{ name: source, target, readOnly, ...more, inPlace: true }]
    },
  )
  const own = mounts.flatMap((mount): VolumeMount[] => {
    if (mount.kind === 'bind') {
      const { source, target, readOnly } = mount
      return [{ name: filesVolume, target, readOnly, ...(source !== '.' && { subpath: source }), copy: false }]
    }
    if (mount.kind !== 'volume') return []
    const { volume, target, readOnly, copy, subpath } = mount
    const memory = memoryVolumes[volume]
    return [
      {
        name: volumeOf(volume),
        key: volume,
        target,
        readOnly,
        ...(!copy && { copy: false }),
        ...(subpath !== null && { subpath }),
        ...(memory !== undefined && { memory }),
      },
    ]
  })
  return [...own, ...inPlace]
}

/** What it uses on the server where it is: named twice, once as a mount and once as what was granted. */
function grantedOf({ adopted }: ComposePlan): Pick<ServiceSpec, 'binds' | 'granted'> {
  if (!adopted || adopted.mounts.length === 0) return {}
  const binds = adopted.mounts.filter(({ kind }) => kind === 'path')
  const sources = (of: 'volume' | 'path') =>
    adopted.mounts.filter(({ kind }) => kind === of).map(({ source }) => source)
  return {
    ...(binds.length > 0 && {
      binds: binds.map(({ source, target, readOnly }) => ({ source, target, readOnly })),
    }),
    granted: { volumes: sources('volume'), paths: sources('path') },
  }
}

/** What only some services say. */
function detailsOf(compose: ComposePlan): Partial<ServiceSpec> {
  const memory = compose.mounts.flatMap((mount) =>
    mount.kind === 'tmpfs'
      ? [
          {
            target: mount.target,
            ...(mount.sizeBytes !== null && { sizeBytes: mount.sizeBytes }),
            ...(mount.mode !== null && { mode: mount.mode }),
          },
        ]
      : [],
  )
  const { capabilities, dns, log, limits } = compose
  const some = (list: unknown[]) => list.length > 0
  return {
    ...(some(memory) && { memory }),
    ...(some(compose.files) && { files: compose.files }),
    ...(compose.user !== null && { user: compose.user }),
    ...(compose.workingDir !== null && { workingDir: compose.workingDir }),
    ...labelsOf(compose),
    ...(limits.pids !== undefined && { pids: limits.pids }),
    ...(compose.stopSignal !== null && { stopSignal: compose.stopSignal }),
    ...(compose.hostname !== null && { hostname: compose.hostname }),
    ...(some(compose.groups) && { groups: compose.groups }),
    ...(some([...capabilities.add, ...capabilities.drop]) && { capabilities }),
    ...(compose.noNewPrivileges !== null && { noNewPrivileges: compose.noNewPrivileges }),
    ...(compose.readOnly && { readOnly: true }),
    ...(compose.tty && { tty: true }),
    ...(compose.stdin && { stdin: true }),
    ...(some(compose.ulimits) && { ulimits: compose.ulimits }),
    ...(some(Object.keys(compose.sysctls)) && { sysctls: compose.sysctls }),
    ...(some(compose.hosts) && { hosts: compose.hosts }),
    ...(some([...dns.servers, ...dns.options, ...dns.search]) && { dns }),
    ...((log.maxSize !== null || log.maxFiles !== null) && { log }),
  }
}

/** Its own, and the mark of what is mounted from the source: with another content its containers are new. */
function labelsOf({ labels, mountedHash }: ComposePlan): Pick<ServiceSpec, 'labels'> {
  const all = { ...labels, ...(mountedHash !== null && { 'app.slipway.mounted': mountedHash }) }
  return Object.keys(all).length > 0 ? { labels: all } : {}
}

const TIMES = { intervalMs: 10_000, timeoutMs: 5000, retries: 3, startPeriodMs: 20_000 }

/**
 * What the file says, else the image's own, else that the port is open that the file names. Without any, healthy is what
 * keeps running.
 */
function checkOf({ healthcheck, exposed, kind }: ComposePlan, facts: ImageFacts): Healthcheck {
  if (kind === 'job' || healthcheck.kind === 'none') return { kind: 'none', ...TIMES }
  const { kind: _, ...said } = healthcheck
  const times = { ...TIMES, ...said }
  if (healthcheck.kind === 'command') return { ...times, kind: 'command', argv: healthcheck.argv }
  if (facts.healthcheck) return { ...times, kind: 'image' }
  const port = exposed.find(({ protocol }) => protocol === 'tcp')?.port
  return port === undefined || facts.checks === 'none' ? { ...times, kind: 'none' } : { ...times, kind: 'tcp', port }
}
