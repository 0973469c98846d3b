import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { acceptSpec } from './accept.ts'
import { type Rendering, renderService } from './render.ts'
import { type MemoryVolume, type ServiceSpec, specHash, type VolumeMount } from './spec.ts'

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
  reserved: { cpus: 0.1 },
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
const rendering: Rendering = { instance: 'i', health: { Test: ['NONE'] }, forceUpdate: 2, over: 'running' }
const render = (more: Partial<ServiceSpec>) => renderService({ ...plain, ...more }, rendering)
const container = (more: Partial<ServiceSpec>) => render(more).TaskTemplate.ContainerSpec

test('a stored spec is rendered as it always was: its hash would not tell, and nothing would be replaced', () => {
  const text = JSON.stringify(renderService(stored, rendering))
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe('a492102dfcc956f6')
  expect(specHash(stored)).toBe('4e7e5b29755f023baaf78dca66a4f0bd')
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
      capabilities: { add: ['net_admin'], drop: ['ALL', 'CAP_CHOWN'] },
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
      CapabilityAdd: ['CAP_NET_ADMIN'],
      CapabilityDrop: ['ALL', 'CAP_CHOWN'],
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
  const refused = (more: Partial<ServiceSpec>, api?: number) => expect(() => acceptSpec({ ...plain, ...more }, api))
  const volume = { name: 'v', target: '/v', readOnly: true }
  const file = { kind: 'secret', name: 'key', content: 'eA==', target: '/k', uid: '0', gid: '0', mode: 0o400 } as const

  test('paths that lead out of a volume', () => {
    for (const subpath of ['/etc', '..', 'a/../../b', '']) {
      refused({ volumes: [{ ...volume, subpath }] }).toThrow(/not a path inside of the volume/)
    }
    refused({ volumes: [{ ...volume, subpath: 'a/..b/c' }] }).not.toThrow()
    refused({ volumes: [{ ...volume, subpath: 'a' }] }, 144).toThrow(/Engine 26/)
    refused({ noNewPrivileges: true }, 143).toThrow(/Engine 25/)
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
