import { describe, expect, test } from 'vitest'
import type { FoundImage, FoundVolume } from '../../../drivers/runtime/reading/found.ts'
import { readConfig } from '../../../drivers/runtime/reading/read-config.ts'
import { readContainer } from '../../../drivers/runtime/reading/read-container.ts'
import { carryOver } from './carry-over.ts'

const ID = 'sha256:1'
const DIGEST = `app@sha256:${'a'.repeat(64)}`
const image = (config: object = {}, more: Partial<FoundImage> = {}): FoundImage => ({
  id: ID,
  tags: ['app:1'],
  digests: [DIGEST],
  config: readConfig(config),
  ...more,
})
type Change = {
  config?: object
  host?: object
  mounts?: object[]
  networks?: object
  image?: FoundImage | null
  volumes?: FoundVolume[]
  replicas?: number
  id?: string
}

function carried({ config = {}, host = {}, mounts = [], networks = {}, replicas = 1, ...more }: Change) {
  const found = readContainer({
    Id: 'f'.repeat(64),
    Name: '/one',
    Image: more.id ?? ID,
    Config: { Image: 'app:1', ...config },
    HostConfig: { RestartPolicy: { Name: 'no' }, LogConfig: { Type: 'json-file' }, Memory: 1, PidsLimit: 1, ...host },
    Mounts: mounts,
    NetworkSettings: { Networks: networks },
    State: { Status: 'running' },
  })
  const volumes = new Map((more.volumes ?? []).map((volume) => [volume.name, volume]))
  const around = { rootDir: '/var/lib/docker', socketPath: '/var/run/docker.sock', edgePorts: [80, 443] }
  return carryOver(found, { ...around, volumes, replicas, image: more.image === undefined ? image() : more.image })
}
const keys = (told: { key: string }[]) => told.map(({ key }) => key)
const bind = (Source: string, RW = true) => ({ Type: 'bind', Source, Destination: '/x', RW })
const volume = (Name: string) => ({ Type: 'volume', Name, Destination: '/x', RW: true, Driver: 'local' })

describe('the program', () => {
  const base = { Entrypoint: ['entry'], Cmd: ['cmd'] }
  test.each([
    ['the image’s own', { Entrypoint: ['entry'], Cmd: ['cmd'] }, { entrypoint: null, command: null }],
    ['another command', { Entrypoint: ['entry'], Cmd: ['x y', ''] }, { entrypoint: null, command: ['x y', ''] }],
    ['another entrypoint', { Entrypoint: ['own'], Cmd: null }, { entrypoint: ['own'], command: null }],
    ['no entrypoint', { Entrypoint: null, Cmd: ['run'] }, { entrypoint: ['run'], command: null }],
  ])('%s is carried over word by word', (_, config, argv) => {
    expect(carried({ config, image: image(base) }).service).toMatchObject(argv)
  })

  test('variables of the image are left to it; what was taken away is told', () => {
    const config = { Env: ['PATH=/bin', 'discovery.type=single', '__proto__=x', 'E=', 'EQ=a=b', 'D=1', 'D=2'] }
    const { service, warnings } = carried({ config, image: image({ Env: ['PATH=/bin', 'GONE=1'] }) })
    expect(Object.entries(service.environment)).toEqual([
      ['discovery.type', 'single'],
      ['__proto__', 'x'],
      ['E', ''],
      ['EQ', 'a=b'],
      ['D', '2'],
    ])
    expect(keys(warnings)).toEqual(expect.arrayContaining(['environment.GONE', 'environment.D']))
  })

  test('a check keeps the engine’s times where none were said, and none is invented', () => {
    const check = { Test: ['CMD-SHELL', 'ok'], Interval: 5e9 }
    expect(carried({ config: { Healthcheck: check, Shell: ['/bin/ash', '-c'] } }).service.healthcheck).toEqual({
      kind: 'command',
      argv: ['/bin/ash', '-c', 'ok'],
      intervalMs: 5000,
      timeoutMs: 30_000,
      retries: 3,
      startPeriodMs: 0,
    })
    expect(carried({ config: { ExposedPorts: { '80/tcp': {} } } }).service.healthcheck).toEqual({ kind: 'none' })
    expect(
      carried({ config: { Healthcheck: check }, image: image({ Healthcheck: check }) }).service.healthcheck.kind,
    ).toBe('image')
  })

  test('labels that a proxy or a watcher reads are left out, and said', () => {
    const Labels = { 'traefik.enable': 'true', 'com.docker.compose.project': 'x', maker: 'them', own: 'yes' }
    const { service, warnings } = carried({ config: { Labels }, image: image({ Labels: { maker: 'them' } }) })
    expect({ ...service.labels }).toEqual({ own: 'yes' })
    expect(keys(warnings)).toContain('labels')
  })
})

describe('the image', () => {
  test('is pinned by a digest of the repository that it was started from', () => {
    expect(carried({}).image).toEqual({ reference: DIGEST, id: ID, onlyHere: false, pinned: true })
    expect(carried({ config: { Image: 'other:1' } }).image.pinned).toBe(false)
    const hub = image({}, { digests: [`docker.io/library/${DIGEST}`] })
    expect(carried({ config: { Image: 'app' }, image: hub }).image.pinned).toBe(true)
  })

  test('one that is nowhere else is used by the id that runs, whatever its name means now', () => {
    const { image: used, warnings, reasons } = carried({ image: image({}, { digests: [], tags: [] }) })
    expect({ used, reasons }).toEqual({ used: { reference: ID, id: ID, onlyHere: true, pinned: false }, reasons: [] })
    expect(keys(warnings)).toContain('image')
  })

  test('a digest that the image store gives to every image is no proof of a registry', () => {
    const digest = `sha256:${'b'.repeat(64)}`
    const local = image({}, { id: digest, digests: [`app@${digest}`] })
    const { image: used, warnings } = carried({ image: local, id: digest })
    expect(used.pinned).toBe(true)
    expect(warnings.find(({ key }) => key === 'image')?.message).toContain('cannot be told')
  })

  test('one that is gone stands in the way', () => expect(keys(carried({ image: null }).reasons)).toEqual(['image']))
})

describe('ports', () => {
  const ports = (binding: object, protocol = 'tcp') => {
    const { service, warnings } = carried({ host: { PortBindings: { [`5432/${protocol}`]: [binding] } } })
    return { open: service.ports, told: warnings.filter(({ key }) => key === 'ports').length }
  }
  test('one that was open everywhere stays open', () => {
    expect(ports({ HostIp: '', HostPort: '5432' })).toEqual({
      open: [{ target: 5432, published: 5432, protocol: 'tcp' }],
      told: 0,
    })
  })
  test.each([
    ['open at one address', { HostIp: '127.0.0.1', HostPort: '5432' }],
    ['of the edge', { HostIp: '', HostPort: '443' }],
    ['by chance', { HostIp: '', HostPort: '' }],
  ])('one %s is not opened, and said', (_, binding) => expect(ports(binding)).toEqual({ open: [], told: 1 }))
  test('SCTP is not opened, and said', () =>
    expect(ports({ HostIp: '', HostPort: '1' }, 'sctp')).toEqual({ open: [], told: 1 }))
})

describe('what stands in the way of adopting', () => {
  test.each([
    ['privileged', { host: { Privileged: true, SecurityOpt: ['label=disable'] } }],
    ['pid', { host: { PidMode: 'host', SecurityOpt: ['label=disable'] } }],
    ['pid', { host: { PidMode: 'container:x' } }],
    ['ipc', { host: { IpcMode: 'host' } }],
    ['uts', { host: { UTSMode: 'host' } }],
    ['userns_mode', { host: { UsernsMode: 'host' } }],
    ['network_mode', { host: { NetworkMode: 'host' } }],
    ['network_mode', { host: { NetworkMode: 'container:x' } }],
    ['devices', { host: { Devices: [{}] } }],
    ['gpus', { host: { DeviceRequests: [{}] } }],
    ['cap_add', { host: { CapAdd: ['CAP_NET_ADMIN'] } }],
    ['security_opt', { host: { SecurityOpt: ['seccomp=unconfined'] } }],
    ['security_opt', { host: { SecurityOpt: ['label=disable'] } }],
    ['runtime', { host: { Runtime: 'nvidia' } }],
    ['volumes', { mounts: [bind('/var/run/docker.sock', false)] }],
    ['volumes', { mounts: [bind('/run/containerd/containerd.sock')] }],
    ['volumes', { mounts: [bind('/')] }],
    ['volumes', { mounts: [bind('/etc/cron.d', false)] }],
    ['volumes', { mounts: [bind('/usr/local/bin')] }],
    ['volumes', { mounts: [bind('/var/lib')] }],
    ['volumes', { mounts: [bind('/var/lib/docker/volumes/x/_data')] }],
    ['volumes', { mounts: [bind('/srv/../etc')] }],
    ['volumes', { mounts: [bind('/home/x/../../root/.ssh')] }],
    ['volumes', { mounts: [{ ...volume('data'), Type: 'cluster' }] }],
    ['volumes', { mounts: [volume('a'.repeat(64))], host: { AutoRemove: true } }],
    [
      'volumes',
      {
        mounts: [volume('ours')],
        volumes: [{ name: 'ours', driver: 'local', labels: { 'slipway.instance': 'a' }, options: {} }],
      },
    ],
    [
      'volumes',
      {
        mounts: [volume('trick')],
        volumes: [{ name: 'trick', driver: 'local', labels: {}, options: { type: 'none', o: 'bind', device: '/etc' } }],
      },
    ],
  ])('%s: %j', (key, change) => expect(keys(carried(change).reasons)).toEqual([key]))

  test.each([[bind('/srv/app/data')], [bind('/etc/localtime', false)], [bind('/data/pg')], [volume('data')]])(
    '%j does not',
    (mount) => expect(carried({ mounts: [mount] }).reasons).toEqual([]),
  )
})

describe('what is not as it was', () => {
  test.each([
    ['mem_limit', { Memory: 0 }],
    ['pids_limit', { PidsLimit: null }],
    ['mem_reservation', { MemoryReservation: 1 }],
    ['memswap_limit', { Memory: 10, MemorySwap: 30 }],
    ['cpu_shares', { CpuShares: 1 }],
    ['cpuset', { CpusetCpus: '0' }],
    ['cap_drop', {}],
    ['logging.driver', { LogConfig: { Type: 'syslog' } }],
    ['rm', { AutoRemove: true }],
    ['extra_hosts', { ExtraHosts: ['a:b:c'] }],
    ['ulimits.rtprio', { Ulimits: [{ Name: 'rtprio', Soft: 1, Hard: 1 }] }],
    ['sysctls.kernel.panic', { Sysctls: { 'kernel.panic': '1' } }],
  ])('%s is told', (key, host) => expect(keys(carried({ host }).warnings)).toContain(key))

  test('volumes and paths stay where they are, read-only where they were', () => {
    const { inPlace } = carried({ mounts: [bind('/srv/app', false), volume('data')] })
    expect(inPlace).toMatchObject([
      { kind: 'path', source: '/srv/app', readOnly: true },
      { kind: 'volume', source: 'data', readOnly: false, anonymous: false },
    ])
  })
})
