import type { ContainerSpec, HealthConfig } from '../../engine/answers.ts'
import { LABEL } from '../labels.ts'
import { contentHash } from '../rollout/identity.ts'
import { type ServiceSpec, specHash } from '../rollout/spec.ts'
import { literal } from './literal.ts'
import { mountsOf } from './mounts.ts'
import { rightsOf } from './rights.ts'

/** The files of a spec as the engine knows them. */
export type FileReferences = Pick<ContainerSpec, 'Configs' | 'Secrets'>

type Around = {
  instance: string
  /** Of the engine: 145 for 1.45. */
  api: number
  health: HealthConfig | undefined
  files?: FileReferences | undefined
  /** What the engine finds the image by; its name where nothing is said. */
  image?: string | undefined
}

/** What runs in each container, in the engine's words. What is not said is left out: the engine's own default holds. */
export function containerSpec(spec: ServiceSpec, around: Around): ContainerSpec {
  const { instance, api, health, files = {}, image = spec.image } = around
  const content = {
    Image: image,
    ...(spec.entrypoint && { Command: spec.entrypoint }),
    ...(spec.command && { Args: spec.command }),
    Env: Object.entries(spec.environment).map(([name, value]) => literal(`${name}=${value}`)),
  }
  return {
    ...content,
    Labels: {
      ...foreignLabels(spec),
      ...labelsOf(spec, instance),
      [LABEL.content]: contentHash(content),
      ...(image !== spec.image && { [LABEL.image]: spec.image }),
      // What is always started again never ends well.
      ...(spec.mayEnd && spec.restart !== 'always' && { [LABEL.mayEnd]: '1' }),
    },
    ...(spec.workingDir && { Dir: spec.workingDir }),
    ...(spec.user && { User: spec.user }),
    ...processOf(spec, api),
    ...namesOf(spec),
    Mounts: mountsOf(spec, instance),
    ...files,
    ...(health && { Healthcheck: health }),
  }
}

/** How its process runs, and what it may do. */
function processOf(spec: ServiceSpec, api: number): Partial<ContainerSpec> {
  const { groups = [], ulimits = [] } = spec
  const sysctls = sorted(spec.sysctls)
  return {
    ...(groups.length > 0 && { Groups: groups }),
    Init: spec.init,
    ...(spec.tty && { TTY: true }),
    ...(spec.stdin && { OpenStdin: true }),
    ...(spec.readOnly && { ReadOnly: true }),
    ...(spec.stopSignal && { StopSignal: spec.stopSignal }),
    StopGracePeriod: spec.stopGraceMs * 1_000_000,
    ...rightsOf(spec, api),
    ...(ulimits.length > 0 && {
      Ulimits: ulimits.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
    }),
    ...(Object.keys(sysctls).length > 0 && { Sysctls: sysctls }),
  }
}

/** How it is called, and whom it knows by which name. */
function namesOf({ hostname, hosts = [], dns }: ServiceSpec): Partial<ContainerSpec> {
  const config = {
    ...(dns && dns.servers.length > 0 && { Nameservers: dns.servers }),
    ...(dns && dns.search.length > 0 && { Search: dns.search }),
    ...(dns && dns.options.length > 0 && { Options: dns.options }),
  }
  return {
    ...(hostname && { Hostname: literal(hostname) }),
    ...(hosts.length > 0 && { Hosts: hosts.map(({ name, address }) => `${address} ${name}`) }),
    ...(Object.keys(config).length > 0 && { DNSConfig: config }),
  }
}

function sorted(pairs: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** On the service and on each of its containers: a task shows no version, so the label is what tells old from new. */
export function labelsOf(spec: ServiceSpec, instance: string): Record<string, string> {
  return {
    [LABEL.instance]: instance,
    [LABEL.org]: spec.org,
    [LABEL.project]: spec.project,
    [LABEL.service]: spec.service,
    [LABEL.deployment]: spec.deployment,
    [LABEL.spec]: specHash(spec),
  }
}

function foreignLabels({ labels = {} }: ServiceSpec): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !/^(slipway|com\.docker)\./.test(name)))
}
