import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../errors.ts'
import type { SourceTree } from '../build/source-tree.ts'
import type { Trust } from './deployable/service.ts'
import { servicesOf } from './deployable/services-of.ts'
import { readCompose } from './read.ts'

type Files = Record<string, string | { link: string }>

function tree(files: Files): SourceTree {
  const entries = Object.entries(files).map(([path, content]): SourceTree['entries'][number] =>
    typeof content === 'string'
      ? { kind: 'file', path, size: Buffer.byteLength(content), mode: 0o644, sha256: path }
      : { kind: 'link', path, target: content.link },
  )
  return { entries, read: async ({ path }) => Readable.from([Buffer.from(String(files[path]))]) }
}

const read = (files: Files, environment = {}) => readCompose(tree(files), { environment, projectName: 'p' })
const one = (service: string, rest = '') => read({ 'compose.yaml': `services: {a: {image: x, ${service}}}\n${rest}` })

async function ours(service: string, rest = '', trust: Trust = {}) {
  const { project } = await one(service, rest)
  const { services, warnings, ...more } = servicesOf(project, trust)
  return { service: services[0], keys: warnings.map(({ key }) => key), warnings, ...more }
}

async function refusal(reading: Promise<unknown>): Promise<Refusal> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Refusal)
  return error as Refusal
}

describe('confinement', () => {
  it.each([
    ['env_file: /etc/passwd', 'services.a.env_file.0.path'],
    ['env_file: ../x.env', 'services.a.env_file.0.path'],
    ['build: ..', 'services.a.build.context'],
    ['build: {context: ., dockerfile: /etc/passwd}', 'services.a.build.dockerfile'],
    ['build: "file:///etc"', 'services.a.build.context'],
    ['extends: {file: ../b.yaml, service: b}', 'services.a.extends.file'],
    ['volumes: ["../x:/x"]', 'services.a.volumes.0.source'],
  ])('%s is refused, and its place named', async (service, field) => {
    const { code, message, details } = await refusal(one(service))
    expect({ code, field: details.field }).toEqual({ code: 'invalid_path', field })
    expect(message).toMatch(/^compose\.yaml: services\.a\./)
    expect(details.hint).toBeDefined()
  })

  it('links that leave the tree are refused, links inside of it are followed', async () => {
    const compose = 'services: {a: {image: x, env_file: link/a.env}}'
    const outside = await refusal(read({ 'compose.yaml': compose, link: { link: '../etc' } }))
    expect(outside.code).toBe('invalid_path')
    const circle = await refusal(read({ 'compose.yaml': compose, link: { link: 'other' }, other: { link: 'link' } }))
    expect(circle.message).toContain('in a circle')
    const { project } = await read({ 'compose.yaml': compose, link: { link: 'real' }, 'real/a.env': 'A=1' })
    expect(project.services.a?.environment).toEqual({ A: '1' })
  })

  it('a NUL character cannot smuggle a path past the checks', async () => {
    expect((await refusal(one('env_file: "a\\0/../../x"'))).message).toContain('NUL')
  })
})

describe('bounds', () => {
  it('aliases that multiply are refused', async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `x-${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`)
    const { code } = await refusal(read({ 'compose.yaml': `x-0: &a0 [lol]\n${levels.join('\n')}\nservices: {}` }))
    expect(code).toBe('too_large')
  })

  it('a file that is too large is not read', async () => {
    expect((await refusal(read({ 'compose.yaml': `#${'x'.repeat(600_000)}` }))).code).toBe('too_large')
  })
})

describe('faults', () => {
  it('an unknown key is named with the one that was probably meant', async () => {
    const { message, details } = await refusal(one('enviroment: {A: 1}'))
    expect(message).toBe('compose.yaml: services.a.enviroment: compose knows no such key here.')
    expect(details.hint).toBe('Did you mean environment?')
  })

  it('names the file that said it, also when the fault shows only later', async () => {
    const files = {
      'compose.yaml': 'services: {a: {image: x}}',
      'compose.override.yaml': 'services: {a: {networks: [n]}}',
      'later.yaml': 'services: {a: {user: b}}',
    }
    expect((await refusal(read(files, { COMPOSE_FILE: Object.keys(files).join(':') }))).message).toMatch(
      /^compose\.override\.yaml: services\.a\.networks\.n: there is no network/,
    )
  })
})

describe('in our words', () => {
  it.each(['/:/host', '/var/run/docker.sock:/var/run/docker.sock:ro', '~/x:/x', '/etc/localtime:/etc/localtime'])(
    'the mount %s of the server is refused',
    async (mount) => expect((await refusal(ours(`volumes: ["${mount}"]`))).message).toContain('path of the server'),
  )

  const volume = (options: string, more = '') =>
    ours('volumes: ["data:/x"]', `volumes: {data: {${more} driver_opts: ${options}}}`)

  it('a device behind a volume is refused, and so is a folder of the server', async () => {
    expect((await refusal(volume('{type: ext4, device: /dev/sda1}'))).message).toContain('device of the server')
    expect((await refusal(volume('{type: none, o: bind, device: /etc}'))).message).toContain('path of the server')
    expect((await refusal(volume('{type: nfs, o: "addr=192.0.2.1", device: ":/x"}'))).message).toContain(
      'other machines',
    )
  })

  it.each([
    ...[
      'rbind',
      'rbind,ro',
      'ro,rbind',
      'rbind,rshared',
      'size=1m,rbind',
      'rbind,\t',
      'remount',
      'RBIND',
      ' rbind',
      'bind\n',
    ],
    ...['move', 'rshared', 'size=1m;rbind', 'size=1m rbind', 'mode=0777,bind', 'size=-1', 'size=900g', 'nr_inodes=0'],
    ...['mode=99999', 'uid=root', 'context=x', 'lowerdir=/', 'size'],
  ])('a volume in memory is nothing else because of the option %j', async (o) => {
    for (const device of ['tmpfs', '/', '../..', '/proc/1/cwd/etc']) {
      await refusal(volume(`{type: tmpfs, device: ${JSON.stringify(device)}, o: ${JSON.stringify(o)}}`))
      await refusal(volume(`{device: ${JSON.stringify(device)}, o: ${JSON.stringify(o)}}`, 'driver: local,'))
    }
  })

  it.each([
    '{type: tmpfs, device: /}',
    '{type: tmpfs, device: "tmpfs "}',
    '{type: TMPFS, device: tmpfs}',
    '{type: tmpfs, device: tmpfs, propagation: shared}',
    '{type: overlay, device: overlay, o: "lowerdir=/,upperdir=/tmp/u,workdir=/tmp/w"}',
    '{type: bind, device: /etc}',
    '{device: /etc}',
    '{o: bind}',
    '{o: rbind, device: /etc}',
    '{type: none, device: ../../.., o: "bind,ro"}',
    '{type: none, device: ., o: bind}',
  ])('the options %s of a volume are refused', async (options) => {
    await refusal(volume(options))
  })

  it('a volume in memory has the size that it asks for, and a usual one without', async () => {
    const { volumes } = await volume('{type: tmpfs, device: tmpfs, o: "size=64m,mode=1777,uid=1000,noexec,nodev"}')
    expect(volumes).toEqual([
      { key: 'data', memory: { sizeBytes: 64 * 1024 ** 2, mode: 0o1777, uid: 1000, noExec: true } },
    ])
    expect((await volume('{type: tmpfs}')).volumes).toEqual([{ key: 'data', memory: { sizeBytes: 256 * 1024 ** 2 } }])
  })

  it('a volume that is a folder of the source is one', async () => {
    const { service, volumes } = await volume('{type: none, device: ./html, o: bind}', 'driver: local,')
    expect(service?.mounts).toEqual([{ kind: 'bind', source: 'html', target: '/x', readOnly: false }])
    expect(volumes).toEqual([])
  })

  it('what the operator allows is mounted, and only that', async () => {
    const trust = { hostPaths: ['/srv/media'] }
    const { service } = await ours('volumes: ["/srv/media/films:/films:ro"]', '', trust)
    expect(service?.mounts).toEqual([{ kind: 'host', source: '/srv/media/films', target: '/films', readOnly: true }])
    await refusal(ours('volumes: ["/srv/mediaelse:/x"]', '', trust))
    await refusal(ours('volumes: ["/srv/media/../../etc:/x"]', '', trust))
  })

  it('a relative mount stays a path of the tree, and a volume without a name is kept under one', async () => {
    const { service, volumes } = await ours('volumes: [./html:/html:ro, /cache]')
    expect(service?.mounts).toEqual([
      { kind: 'bind', source: 'html', target: '/html', readOnly: true },
      { kind: 'volume', volume: 'a-cache', target: '/cache', readOnly: false, copy: true, subpath: null },
    ])
    expect(volumes).toEqual([{ key: 'a-cache', memory: null }])
  })

  it('one that writes to a volume stops first, unless it says that it can share', async () => {
    const data = (service: string, volume = '') =>
      ours(`volumes: ["data:/x"], ${service}`, `volumes: {data: {${volume}}}`)
    const order = async (service: string, volume?: string) => (await data(service, volume)).service?.order
    expect(await order('user: b')).toBe('stop-first')
    expect(await order('x-slipway: {share: true}')).toBe('start-first')
    expect(await order('labels: [slipway.share=true]')).toBe('start-first')
    expect(await order('user: b', 'x-slipway: {share: true}')).toBe('start-first')
    expect((await data('deploy: {update_config: {order: start-first}}')).keys).toContain('deploy.update_config.order')
  })

  it('one that others wait for until it has completed is a job; one that is not restarted may end', async () => {
    const compose = `services:
      web: {image: x, depends_on: {migrate: {condition: service_completed_successfully}, seed: {condition: service_started}}}
      migrate: {image: x, restart: always}
      seed: {image: x, restart: "no"}`
    const { services, order } = servicesOf((await read({ 'compose.yaml': compose })).project)
    expect(order).toEqual(['migrate', 'seed', 'web'])
    expect(services.map(({ name, kind, mayEnd, restart }) => [name, kind, mayEnd, restart.when])).toEqual([
      ['migrate', 'job', false, 'never'],
      ['seed', 'service', true, 'never'],
      ['web', 'service', false, 'always'],
    ])
  })

  it('a host name that others would look up is not set', async () => {
    const named = async (hostname: string) => (await ours(`hostname: ${JSON.stringify(hostname)}`)).service?.hostname
    expect(await named('worker-1')).toBe('worker-1')
    for (const hostname of ['a', 'A', 'api.payments.example', 'web.prj_1.internal', 'x y', '-x'])
      expect(await named(hostname)).toBeNull()
  })

  it('limits that all projects share are not raised, and nothing is reserved', async () => {
    const { service, keys } = await ours(
      'ulimits: {nofile: {soft: 1024, hard: 65536}, memlock: -1, rtprio: 99, core: -1, nofile2: 1}, deploy: {resources: {reservations: {memory: 900g, cpus: "64"}}}',
    )
    expect(service?.ulimits).toEqual([
      { name: 'nofile', soft: 1024, hard: 65_536 },
      { name: 'memlock', soft: -1, hard: -1 },
    ])
    expect(keys).toEqual(
      expect.arrayContaining(['ulimits.rtprio', 'ulimits.core', 'deploy.resources.reservations.memory']),
    )
    expect(Object.keys(service ?? {})).not.toContain('reserved')
  })

  it.each([
    ...[
      'net.ipv4/../../kernel/core_pattern',
      'net/ipv4/ip_forward',
      'net.netfilter.nf_conntrack_max',
      'net.core.rmem_max',
    ],
    ...['kernel.core_pattern', 'vm.overcommit_memory', 'fs.inotify.max_user_instances', 'kernel.shm/../x'],
  ])('the kernel setting %s of the server stays as it is', async (name) => {
    const { service, keys } = await ours(`sysctls: {${JSON.stringify(name)}: 1}`)
    expect(service?.sysctls).toEqual({})
    expect(keys).toEqual([`sysctls.${name}`])
  })

  it('raw packets are not to be had, and new privileges only on demand', async () => {
    const { service, keys } = await ours(
      'cap_add: [NET_RAW, cap_net_raw, CHOWN], security_opt: ["no-new-privileges:false"]',
    )
    expect(service).toMatchObject({ capabilities: { add: ['CHOWN'] }, noNewPrivileges: false })
    expect(keys).toEqual(['cap_add', 'cap_add'])
    expect((await ours('user: b')).service?.noNewPrivileges).toBeNull()
    expect((await refusal(ours('deploy: {replicas: 101}'))).message).toContain('101 containers')
  })

  it('every key that is not honoured is named', async () => {
    const { keys, service } = await ours(
      'privileged: true, devices: [/dev/x], pid: host, network_mode: host, security_opt: ["seccomp:unconfined"], cap_add: [SYS_ADMIN, CHOWN], sysctls: {vm.x: 1, net.core.somaxconn: 2}, logging: {driver: syslog}, mac_address: b, cpuset: "0"',
    )
    expect(keys.sort()).toEqual([
      'cap_add',
      'cpuset',
      'devices',
      'logging.driver',
      'mac_address',
      'network_mode',
      'pid',
      'privileged',
      'security_opt',
      'sysctls.vm.x',
    ])
    expect(service?.capabilities.add).toEqual(['CHOWN'])
    expect(service?.sysctls).toEqual({ 'net.core.somaxconn': '2' })
    expect(service?.networks).toEqual([{ network: 'default', aliases: ['a'] }])
  })

  it('a port for one address is not opened to the world', async () => {
    const { service, keys } = await ours('ports: ["127.0.0.1:80:80", "81:81", "82"]')
    expect(service?.ports).toEqual([{ target: 81, published: 81, protocol: 'tcp' }])
    expect(service?.exposed.map(({ port }) => port)).toEqual([80, 81, 82])
    expect(keys).toEqual(['ports', 'ports', 'ports'])
  })

  it('health, limits and times are read exactly', async () => {
    const { service } = await ours(
      'healthcheck: {test: "a || b", interval: 1m30s}, mem_limit: 1.5g, cpus: "0.5", shm_size: 64m, stop_grace_period: 500ms, restart: on-failure:3',
    )
    expect(service).toMatchObject({
      healthcheck: { kind: 'command', argv: ['/bin/sh', '-c', 'a || b'], intervalMs: 90_000 },
      limits: { memoryBytes: 1_610_612_736, cpus: 0.5 },
      mounts: [{ kind: 'tmpfs', target: '/dev/shm', sizeBytes: 67_108_864 }],
      stopGraceMs: 500,
      restart: { when: 'on-failure', maxAttempts: 3 },
    })
  })
})
