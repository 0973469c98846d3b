import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { OPEN_POLICY } from '../../engine/policy.ts'
import { type MemoryVolume, type ServiceSpec, specHash, type VolumeMount } from '../rollout/spec.ts'
import { acceptSpec } from './accept.ts'
import { type Rendering, renderService } from './render.ts'

/** As one was stored before there were jobs, files and all the rest. */
const stored: ServiceSpec = {
  org: 'org_1',
  project: 'prj_1',
  service: 'web',
  deployment: 'd1',
  image: 'app:1',
  command: ['run'],
  entrypoint: ['sh'],
  environment: { A: '{{x', B: '2' },
  replicas: 1,
  memoryBytes: 64,
  cpus: 0.5,
  healthcheck: { kind: 'none', intervalMs: 5000, timeoutMs: 2000, retries: 3, startPeriodMs: 1000 },
  stopGraceMs: 5000,
  networks: [{ name: 'n', aliases: ['web'] }],
  volumes: [{ name: 'data', target: '/data', readOnly: false }],
  ports: [{ target: 80, published: 8080, protocol: 'tcp' }],
  user: '1000',
  workingDir: '/app',
  init: true,
  restart: 'always',
  order: 'start-first',
  monitorMs: 5000,
  labels: { mine: '1' },
}
const { ports: _, ...plain } = stored
const bounds = { machineBytes: 8 * 1024 ** 3, ceilings: {} }
const rendering: Rendering = {
  instance: 'i',
  api: 145,
  bounds,
  networks: new Map([['n', 'id-of-n']]),
  health: { Test: ['NONE'] },
  forceUpdate: 2,
  over: 'running',
}
const render = (more: Partial<ServiceSpec>) => renderService({ ...plain, ...more }, rendering)
const container = (more: Partial<ServiceSpec>) => render(more).TaskTemplate.ContainerSpec
const rules = { api: 145, policy: OPEN_POLICY, reserved: [80, 443] }

test('a stored spec is rendered as it always was: its hash would not tell, and nothing would be replaced', () => {
  const text = JSON.stringify(renderService(stored, rendering))
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe('a75fe2d680df8356')
  expect(specHash(stored)).toBe('a818778481f1703d73f34f621cfd99f1')
})

describe('a container', () => {
  test('gets what its process may do, in the words of the engine', () => {
    const wanted = {
      groups: ['5'],
      tty: true,
      stdin: true,
      readOnly: true,
      stopSignal: 'SIGUSR1',
      noNewPrivileges: true,
      capabilities: { add: ['net_bind_service'], drop: ['ALL', 'CAP_CHOWN'] },
      ulimits: [{ name: 'nofile', soft: 10, hard: 20 }],
      sysctls: { 'net.b': '2', 'net.a': '1' },
    }
    const found = container(wanted)
    expect(found).toMatchObject({
      Groups: ['5'],
      TTY: true,
      OpenStdin: true,
      ReadOnly: true,
      StopSignal: 'SIGUSR1',
      Privileges: { NoNewPrivileges: true },
      CapabilityAdd: ['CAP_NET_BIND_SERVICE'],
      CapabilityDrop: ['ALL'],
      Ulimits: [{ Name: 'nofile', Soft: 10, Hard: 20 }],
    })
    expect(Object.keys(found?.Sysctls ?? {})).toEqual(['net.a', 'net.b'])
    const none = { groups: [], capabilities: { add: [], drop: [] }, ulimits: [], sysctls: {}, hosts: [] }
    const dns = { servers: [], options: [], search: [] }
    expect(Object.keys(container({ ...none, dns, tty: false }) ?? {})).toEqual(Object.keys(container({}) ?? {}))
  })

  test('knows names, and braces in its own stay braces', () => {
    const dns = { servers: ['10.0.0.1'], options: [], search: ['a.test'] }
    expect(container({ hostname: 'a{{b', hosts: [{ name: 'db', address: '10.0.0.2' }], dns })).toMatchObject({
      Hostname: 'a{{"{{"}}b',
      Hosts: ['10.0.0.2 db'],
      DNSConfig: { Nameservers: ['10.0.0.1'], Search: ['a.test'] },
    })
  })

  test('mounts parts of volumes and folders in memory', () => {
    const volumes = [
      {
        name: 'v',
        key: 'data',
        target: '/v',
        readOnly: true,
        subpath: 'a/b',
        copy: false,
        memory: { sizeBytes: 4096, mode: 0o700, noExec: true },
      },
    ]
    const memory = [{ target: '/t', sizeBytes: 1024, mode: 0o1777 }, { target: '/u' }]
    expect(container({ volumes, memory })?.Mounts).toEqual([
      {
        Type: 'volume',
        Source: 'v',
        Target: '/v',
        ReadOnly: true,
        VolumeOptions: {
          Labels: { 'slipway.instance': 'i', 'slipway.project': 'prj_1', 'slipway.volume': 'data' },
          Subpath: 'a/b',
          NoCopy: true,
          DriverConfig: {
            Name: 'local',
            Options: { type: 'tmpfs', device: 'tmpfs', o: 'size=4096,mode=700,noexec,nosuid,nodev' },
          },
        },
      },
      { Type: 'tmpfs', Target: '/t', TmpfsOptions: { SizeBytes: 1024, Mode: 0o1777 } },
      { Type: 'tmpfs', Target: '/u' },
    ])
  })

  test('holds fewer rights than the engine gives, and gains none', () => {
    const usual = { CapabilityDrop: ['CAP_AUDIT_WRITE', 'CAP_MKNOD', 'CAP_NET_RAW', 'CAP_SETFCAP'] }
    expect(container({})).toMatchObject({ ...usual, Privileges: { NoNewPrivileges: true } })
    expect(container({ capabilities: { add: ['MKNOD'], drop: ['KILL'] } })).toMatchObject({
      CapabilityAdd: ['CAP_MKNOD'],
      CapabilityDrop: ['CAP_AUDIT_WRITE', 'CAP_KILL', 'CAP_NET_RAW', 'CAP_SETFCAP'],
    })
    expect(container({ noNewPrivileges: false })).not.toHaveProperty('Privileges')
    const old = renderService(plain, { ...rendering, api: 143 }).TaskTemplate.ContainerSpec
    expect(old).toMatchObject(usual)
    expect(old).not.toHaveProperty('Privileges')
  })

  test('is limited in memory and processes also where nothing is said, and never beyond the ceilings of the server', () => {
    const { memoryBytes: _, cpus: __, ...bare } = plain
    const limits = (spec: Partial<ServiceSpec>, ceilings = {}, machineBytes = bounds.machineBytes) =>
      renderService({ ...bare, ...spec }, { ...rendering, bounds: { machineBytes, ceilings } }).TaskTemplate.Resources
        ?.Limits
    const gib = 1024 ** 3
    expect(limits({})).toEqual({ MemoryBytes: 2 * gib, Pids: 2048 })
    expect(limits({}, {}, gib)).toEqual({ MemoryBytes: gib / 2, Pids: 2048 })
    expect(limits({ memoryBytes: 900 * gib, pids: 1e9 })).toEqual({ MemoryBytes: 8 * gib, Pids: 16_384 })
    const ceilings = { memoryBytes: gib, cpus: 1, pids: 100 }
    expect(limits({ cpus: 4 }, ceilings)).toEqual({ MemoryBytes: gib, NanoCPUs: 1e9, Pids: 100 })
    expect(limits({ memoryBytes: 64, cpus: 0.5, pids: 5 }, ceilings)).toEqual({
      MemoryBytes: 64,
      NanoCPUs: 5e8,
      Pids: 5,
    })
  })

  test('keeps no more lines than others have room for', () => {
    const log = (maxSize: string | null, maxFiles: number | null) =>
      render({ log: { maxSize, maxFiles } }).TaskTemplate.LogDriver?.Options
    expect(log('900000g', 999)).toEqual({ 'max-size': '5242880', 'max-file': '20' })
    expect(log('1g', null)).toEqual({ 'max-size': '34952533', 'max-file': '3' })
    expect(log('20m', 5)).toEqual({ 'max-size': '20m', 'max-file': '5' })
    for (const odd of ['-1', '0', '1x', '']) expect(log(odd, 2)).toEqual({ 'max-size': '52428800', 'max-file': '2' })
  })

  test('has its limits, its log and its own patience', () => {
    const { TaskTemplate } = render({
      pids: 50,
      log: { maxSize: '1m', maxFiles: null },
      restart: 'on-failure',
      restartPolicy: { delayMs: 2000, maxAttempts: 4, windowMs: 60_000 },
    })
    expect(TaskTemplate.Resources?.Limits).toMatchObject({ Pids: 50 })
    expect(TaskTemplate.LogDriver?.Options).toEqual({ 'max-size': '1m', 'max-file': '3' })
    // The engine compresses what it has turned over, and refuses to where there is no second file.
    const single = render({ log: { maxSize: null, maxFiles: 1 } }).TaskTemplate.LogDriver?.Options
    expect(single).toEqual({ 'max-size': '10m', 'max-file': '1', compress: 'false' })
    expect(TaskTemplate.RestartPolicy).toEqual({
      Condition: 'on-failure',
      Delay: 2_000_000_000,
      MaxAttempts: 4,
      Window: 60_000_000_000,
    })
  })
})

describe('a service', () => {
  test('with volumes that are safe for two writers starts first, with a port it cannot', () => {
    expect(render({}).UpdateConfig?.Order).toBe('stop-first')
    expect(render({ canShare: true }).UpdateConfig?.Order).toBe('start-first')
    expect(renderService({ ...stored, canShare: true }, rendering).UpdateConfig?.Order).toBe('stop-first')
  })

  test('that may end is not taken back by the engine, which knows no good end', () => {
    expect(render({ mayEnd: true, restart: 'on-failure' }).UpdateConfig?.FailureAction).toBe('continue')
    expect(container({ mayEnd: true, restart: 'on-failure' })?.Labels).toHaveProperty('slipway.may-end')
    expect(render({ mayEnd: true }).UpdateConfig?.FailureAction).toBe('rollback')
  })

  test('that is a job runs once, has nothing to go back to, and gives up', () => {
    const job = render({ job: true, restart: 'never' })
    expect(job.Mode).toEqual({ ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } })
    expect(Object.keys(job)).not.toContain('UpdateConfig')
    expect(Object.keys(job)).not.toContain('RollbackConfig')
    expect(job.TaskTemplate.RestartPolicy).toMatchObject({ Condition: 'none' })
    const policy = (more: Partial<ServiceSpec>) => render({ job: true, ...more }).TaskTemplate.RestartPolicy
    expect(policy({ restart: 'always' })).toMatchObject({ Condition: 'on-failure', MaxAttempts: 3 })
    expect(policy({ restart: 'on-failure', restartPolicy: { maxAttempts: 1 } })).toMatchObject({ MaxAttempts: 1 })
  })
})

describe('refused', () => {
  const refused = (more: Partial<ServiceSpec>, other: Partial<typeof rules> = {}) =>
    expect(() => acceptSpec({ ...plain, ...more }, { ...rules, ...other }))
  const volume = { name: 'v', target: '/v', readOnly: true }
  const file = { kind: 'secret', name: 'key', content: 'eA==', target: '/k', uid: '0', gid: '0', mode: 0o400 } as const

  test('paths that lead out of a volume', () => {
    for (const subpath of ['/etc', '..', 'a/../../b', '']) {
      refused({ volumes: [{ ...volume, subpath }] }).toThrow(/not a path inside of the volume/)
    }
    refused({ volumes: [{ ...volume, subpath: 'a/..b/c' }] }).not.toThrow()
    refused({ volumes: [{ ...volume, subpath: 'a' }] }, { api: 144 }).toThrow(/Engine 26/)
    refused({ noNewPrivileges: true }, { api: 143 }).toThrow(/Engine 25/)
  })

  test('mount options of any kind: a release of old that carries them is not brought back', () => {
    for (const options of [{ type: 'tmpfs', device: '/', o: 'rbind' }, { type: 'tmpfs', device: 'tmpfs' }, {}]) {
      const old = { ...volume, options } as VolumeMount
      refused({ volumes: [old] }).toThrow(/could mount a folder of the server/)
    }
    const memory = (more: object) => ({
      volumes: [{ ...volume, memory: { sizeBytes: 4096, ...more } as MemoryVolume }],
    })
    refused(memory({ mode: 0o700, inodes: 10, readOnly: true })).not.toThrow()
    for (const more of [{ sizeBytes: '1,rbind' }, { mode: '700,rbind' }, { uid: 1.5 }, { noExec: 'rbind' }, { o: 'x' }])
      refused(memory(more)).toThrow(/in memory/)
  })

  test('rights that reach beyond the container', () => {
    const add = (...names: string[]) => ({ capabilities: { add: names, drop: [] } })
    refused(add('CHOWN', 'cap_ipc_lock')).not.toThrow()
    for (const name of ['NET_RAW', 'cap_net_raw', 'NET_ADMIN', 'SYS_ADMIN', 'ALL', 'CAP_ALL', 'SYS_PTRACE', 'BPF', ''])
      refused(add(name)).toThrow(/beyond the container/)
  })

  test('limits and kernel settings that are shared with the server', () => {
    const limit = (name: string, soft: number, hard = soft) => ({ ulimits: [{ name, soft, hard }] })
    for (const [name, value] of [
      ['nofile', 65_536],
      ['memlock', -1],
      ['core', 0],
      ['stack', -1],
    ] as const)
      refused(limit(name, value)).not.toThrow()
    for (const [name, value] of [
      ['rtprio', 99],
      ['nofile', 1_073_741_816],
      ['nofile', -1],
      ['core', -1],
      ['nice', 40],
    ] as const)
      refused(limit(name, value)).toThrow(/cannot be set/)
    const setting = (name: string, value = '1') => ({ sysctls: { [name]: value } })
    for (const name of [
      'net.ipv4.ip_unprivileged_port_start',
      'net.core.somaxconn',
      'kernel.shmmax',
      'net.ipv4.conf.all.rp_filter',
    ])
      refused(setting(name)).not.toThrow()
    for (const name of [
      'net.ipv4/../../kernel/core_pattern',
      'net.netfilter.nf_conntrack_max',
      'net.core.rmem_max',
      'vm.x',
      'kernel.sem/x',
      'net.ipv4.',
      'net.ipv4..x',
    ])
      refused(setting(name)).toThrow(/container alone/)
    refused(setting('net.core.somaxconn', '1\n2')).toThrow(/container alone/)
  })

  test('ports of the edge, of the platform and of the cluster, and every port where the server allows none', () => {
    const port = (...published: number[]) => ({
      ports: published.map((one) => ({ target: 80, published: one, protocol: 'udp' as const })),
    })
    refused(port(8080)).not.toThrow()
    for (const one of [80, 443, 22, 2375, 2376, 2377, 4789, 7946]) refused(port(one)).toThrow(/belongs to the server/)
    refused(port(...Array.from({ length: 21 }, (_, n) => 9000 + n))).toThrow(/at most 20/)
    refused(port(8080), { policy: { hostPorts: false, ceilings: {} } }).toThrow(/no project to open ports/)
    refused(port(0)).toThrow(/not a port/)
  })

  test('names that are more than one, and more replicas than there are addresses', () => {
    for (const hostname of ['web.prj_2.internal', 'api.payments.example', 'a b', '-', ''])
      refused({ hostname }).toThrow(/host name of one word/)
    refused({ hostname: 'db-1' }).not.toThrow()
    refused({ networks: [{ name: 'n', aliases: ['a b'] }] }).toThrow(/not a name/)
    refused({ hosts: [{ name: 'a', address: '1.2.3.4 b' }] }).toThrow(/not a host/)
    refused({ replicas: 101, volumes: [] }).toThrow(/from 0 to 100/)
  })

  test('places that are none', () => {
    refused({ memory: [{ target: 'tmp' }] }).toThrow(/absolute/)
    refused({ memory: [{ target: '/' }] }).toThrow(/absolute/)
    refused({ files: [{ ...file, target: 'k' }] }).toThrow(/absolute/)
  })

  test('a writable volume for several, unless they can share it', () => {
    const volumes = [{ ...volume, readOnly: false }]
    refused({ volumes, replicas: 2 }).toThrow(/one replica/)
    refused({ volumes, replicas: 2, canShare: true }).not.toThrow()
  })

  test('files that the engine would not keep, without a word of what is in them', () => {
    refused({ files: [file] }).not.toThrow()
    refused({ files: [{ ...file, content: '' }] }).toThrow(/key is empty/)
    const content = Buffer.alloc(512_000, 'x').toString('base64')
    refused({ files: [{ ...file, content }] }).toThrow(/key has 512000 bytes/)
    refused({ files: [{ ...file, kind: 'config', content }] }).not.toThrow()
    refused({ files: [{ ...file, uid: 'root' }] }).toThrow(/numbers/)
  })
})
