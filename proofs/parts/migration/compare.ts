import type { Rendered } from './rendered.ts'

type Config = {
  Env?: string[] | null
  Entrypoint?: string[] | null
  Cmd?: string[] | null
  User?: string
  WorkingDir?: string
  StopSignal?: string
  Hostname?: string
  Shell?: string[] | null
  Healthcheck?: { Test?: string[]; Interval?: number; Timeout?: number; Retries?: number; StartPeriod?: number } | null
}
export type InspectedImage = { Id: string; Config: Config }
export type Inspected = {
  Id: string
  Image: string
  Path: string
  Args: string[]
  Config: Config
  HostConfig: {
    PortBindings?: Record<string, { HostIp: string; HostPort: string }[] | null> | null
    Memory?: number
    NanoCpus?: number
    CpuQuota?: number
    CpuPeriod?: number
    PidsLimit?: number | null
    NetworkMode: string
  }
  Mounts: { Type: string; Name?: string; Source: string; Destination: string; RW: boolean }[]
}

/** `field`: as warnings call it. */
export type Unlike = { field: string; detail: string }

/** Where a container that is made as rendered would differ from the one that was inspected. */
export function differences(original: Inspected, image: InspectedImage, rendered: Rendered): Unlike[] {
  const container = rendered.TaskTemplate.ContainerSpec ?? { Image: '' }
  const base = image.Config
  const unlike: Unlike[] = []
  const check = (field: string, was: unknown, is: unknown) => {
    const [a, b] = [JSON.stringify(was), JSON.stringify(is)]
    if (a !== b) unlike.push({ field, detail: `${a.slice(0, 160)} became ${b.slice(0, 160)}` })
  }
  check('image', original.Image, container.Image)
  const entry = container.Command ?? base.Entrypoint ?? []
  const command = container.Args ?? (container.Command ? [] : (base.Cmd ?? []))
  check('command', [original.Path, ...original.Args], [...entry, ...command])
  check(
    'environment',
    environmentOf([], original.Config.Env),
    environmentOf(base.Env, (container.Env ?? []).map(plain)),
  )
  check('user', original.Config.User ?? '', container.User ?? base.User ?? '')
  check('working_dir', original.Config.WorkingDir || '/', container.Dir ?? (base.WorkingDir || '/'))
  check('stop_signal', original.Config.StopSignal ?? '', container.StopSignal ?? base.StopSignal ?? '')
  check(
    'healthcheck',
    healthOf(original.Config.Healthcheck, original.Config.Shell),
    healthOf(container.Healthcheck ?? base.Healthcheck, base.Shell),
  )
  const hostname = original.Config.Hostname ?? ''
  const own = hostname === original.Id.slice(0, 12) || hostname === '' ? null : hostname
  check('hostname', own, container.Hostname === undefined ? null : plain(container.Hostname))
  check(
    'ports',
    openOf(original),
    (rendered.EndpointSpec?.Ports ?? []).map((one) => `${one.PublishedPort}:${one.TargetPort}/${one.Protocol}`).sort(),
  )
  check('volumes', mountsOf(original), mountedBy(container.Mounts ?? []))
  const { Memory = 0, NanoCpus = 0, CpuQuota = 0, CpuPeriod = 100_000, PidsLimit } = original.HostConfig
  const limits = rendered.TaskTemplate.Resources?.Limits
  check('mem_limit', Memory, limits?.MemoryBytes ?? 0)
  check('cpus', NanoCpus || (CpuQuota > 0 ? Math.round((CpuQuota / CpuPeriod) * 1e9) : 0), limits?.NanoCPUs ?? 0)
  check('pids_limit', Math.max(0, PidsLimit ?? 0), limits?.Pids ?? 0)
  return unlike
}

const plain = (text: string) => text.replaceAll('{{"{{"}}', '{{')

function environmentOf(base: string[] | null | undefined, lines: string[] | null | undefined): string[] {
  const pairs = new Map<string, string>()
  for (const line of [...(base ?? []), ...(lines ?? [])]) pairs.set(line.split('=', 1)[0] ?? '', line)
  return [...pairs.values()].filter((line) => line.includes('=')).sort()
}

function healthOf(check: Config['Healthcheck'], shell: string[] | null | undefined): unknown {
  const [kind, ...words] = check?.Test ?? ['NONE']
  if (kind === 'NONE' || kind === undefined) return null
  const argv = kind === 'CMD-SHELL' ? [...(shell?.length ? shell : ['/bin/sh', `-${'c'}`]), words.join(' ')] : words
  return [argv, check?.Interval || 30e9, check?.Timeout || 30e9, check?.Retries || 3, check?.StartPeriod || 0]
}

const openOf = ({ HostConfig }: Inspected) =>
  Object.entries(HostConfig.PortBindings ?? {})
    .flatMap(([key, all]) =>
      (all ?? []).map(({ HostIp, HostPort }) => `${HostIp ? `${HostIp}:` : ''}${HostPort}:${key}`),
    )
    .sort()

const mountsOf = ({ Mounts }: Inspected) =>
  Mounts.filter(({ Type }) => Type !== 'tmpfs')
    .map(
      ({ Type, Name, Source, Destination, RW }) => `${Type} ${Type === 'volume' ? Name : Source} ${Destination} ${RW}`,
    )
    .sort()

const mountedBy = (mounts: { Type: string; Source?: string; Target: string; ReadOnly?: boolean }[]) =>
  mounts
    .filter(({ Type }) => Type !== 'tmpfs')
    .map(({ Type, Source, Target, ReadOnly }) => `${Type} ${Source} ${plain(Target)} ${!ReadOnly}`)
    .sort()
