import type { ServiceSpec } from '../../../../server/src/drivers/runtime/rollout/spec.ts'

/** What the table is told about the place: names that belong to others. */
export type Place = {
  hostFolder: string
  /** Of the spec's own project. */
  network: string
  /** Networks and volumes of others, by what they are. */
  foreignNetworks: Record<string, string>
  foreignVolumes: Record<string, string>
  /** Volumes with a label of the project that were made with mount options. */
  mounting: string[]
  reservedPorts: number[]
}

/** Added to a spec that is well. `odd` is what no spec has a word for: it must not arrive at the engine. */
export type Lock = { name: string; spec: Partial<ServiceSpec>; hostPorts?: boolean; odd?: true }

type Odd = Record<string, unknown>
const lock = (name: string, spec: Odd): Lock => ({ name, spec: spec as Partial<ServiceSpec> })

export const allLocks = (place: Place): Lock[] => [
  ...volumeLocks(place),
  ...rightLocks(),
  ...networkLocks(place),
  ...portLocks(place),
  ...kernelLocks(),
  ...nameLocks(place),
  ...countLocks(),
  ...oddLocks(place),
]

const volume = (more: Odd) => ({ volumes: [{ name: 'locks-data', target: '/m', readOnly: false, ...more }] })

function volumeLocks({ hostFolder, foreignVolumes, mounting }: Place): Lock[] {
  const device = hostFolder
  const spellings = [
    'bind',
    'rbind',
    'BIND',
    ' bind',
    'bind\n',
    'ro,rbind',
    'rbind,rshared',
    'size=1m,rbind',
    'rbind,\t',
  ]
  const options = [
    ...spellings.map((o) => ({ type: 'none', o, device })),
    ...['tmpfs', 'nfs', 'nfs4', 'cifs', '9p', 'ext4', 'overlay', 'proc', 'sysfs', 'devtmpfs', 'cgroup2'].map(
      (type) => ({
        type,
        device,
        o: 'rbind,addr=198.19.0.9,lowerdir=/',
      }),
    ),
    { type: 'none', o: 'move', device },
    { type: 'none', o: 'remount', device: '/' },
    { type: 'none', o: 'rbind', device: '../../../../../../..' },
    { type: 'none', o: 'rbind', device: '/proc/1/root' },
    { o: 'size=1m' },
    {},
  ]
  const memories = [
    ...['o', 'device', 'type', 'options'].map((word) => ({ sizeBytes: 4096, [word]: 'rbind' })),
    ...['sizeBytes', 'mode', 'uid', 'gid', 'inodes'].map((word) => ({ sizeBytes: 4096, [word]: '1,rbind' })),
    ...[0, -1, 1.5, Number.NaN, 1e30].map((sizeBytes) => ({ sizeBytes })),
    { sizeBytes: 4096, inodes: 0 },
    { sizeBytes: 4096, readOnly: 'ro,rbind' },
  ]
  const named = ['', '.', '..', '/', '/etc', '../x', 'a/b', 'a\\b', 'a:b', '~', 'x\0', ' x', '-x', hostFolder]
  return [
    ...options.map((one) => lock(`volume options of an old release ${JSON.stringify(one)}`, volume({ options: one }))),
    ...['driver', 'driverOpts', 'driver_opts', 'type', 'source', 'bind', 'propagation', 'Options', 'device', 'o'].map(
      (word) => lock(`volume with a word “${word}”`, volume({ [word]: 'rbind' })),
    ),
    ...memories.map((memory) => lock(`volume in memory ${JSON.stringify(memory)}`, volume({ memory }))),
    ...named.map((name) => lock(`volume called ${JSON.stringify(name)}`, volume({ name }))),
    ...Object.entries(foreignVolumes).map(([whose, name]) => lock(`volume of ${whose}`, volume({ name }))),
    ...mounting.map((name) => lock(`volume that is there with mount options: ${name}`, volume({ name }))),
    ...['', 'm', './m', '/', '//', '/m\0/x'].map((target) =>
      lock(`volume at ${JSON.stringify(target)}`, volume({ target })),
    ),
    ...['', '/', '/etc', '..', 'a/../../b', '../..', 'a\0'].map((subpath) =>
      lock(`path ${JSON.stringify(subpath)} of a volume`, volume({ subpath })),
    ),
    ...['m', '', '/'].map((target) => lock(`memory at ${JSON.stringify(target)}`, { memory: [{ target }] })),
  ]
}

/** All that the kernel knows and no container gets. */
const CAPABILITIES =
  'AUDIT_CONTROL AUDIT_READ BLOCK_SUSPEND BPF CHECKPOINT_RESTORE DAC_READ_SEARCH IPC_OWNER LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE NET_ADMIN NET_BROADCAST NET_RAW PERFMON SYSLOG SYS_ADMIN SYS_BOOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG WAKE_ALARM'
const SPELLINGS = [
  'ALL',
  'all',
  'CAP_ALL',
  'CAP_NET_RAW',
  'net_raw',
  'cap_net_raw',
  'Net_Raw',
  ' NET_RAW',
  'NET_RAW\n',
  '',
]

const rightLocks = (): Lock[] =>
  [...CAPABILITIES.split(' '), ...SPELLINGS].map((name) =>
    lock(`capability ${JSON.stringify(name)}`, { capabilities: { add: [name], drop: [] } }),
  )

const on = (...names: string[]) => ({ networks: names.map((name) => ({ name, aliases: [] })) })

function networkLocks({ network, foreignNetworks }: Place): Lock[] {
  const engines = [
    'host',
    'bridge',
    'none',
    'default',
    'ingress',
    'docker_gwbridge',
    'container:edge',
    '',
    ` ${network}`,
  ]
  return [
    lock('no network at all', on()),
    ...engines.map((name) => lock(`network “${name}”`, on(name))),
    ...Object.entries(foreignNetworks).map(([whose, name]) => lock(`network of ${whose}`, on(network, name))),
  ]
}

const port = (published: number, protocol: 'tcp' | 'udp' = 'tcp', target = 8080) => ({ target, published, protocol })

function portLocks({ reservedPorts }: Place): Lock[] {
  const many = Array.from({ length: 21 }, (_, n) => port(31_000 + n))
  return [
    ...[22, 2375, 2376, 2377, ...reservedPorts].map((one) => lock(`port ${one} of the server`, { ports: [port(one)] })),
    ...[4789, 7946].map((one) => lock(`port ${one}/udp of the cluster`, { ports: [port(one, 'udp')] })),
    ...[0, -1, 65_536, 1.5].map((one) => lock(`port ${one}`, { ports: [port(one)] })),
    lock('target port 0', { ports: [port(31_000, 'tcp', 0)] }),
    lock('21 ports', { ports: many }),
    { ...lock('a port where the server allows none', { ports: [port(31_000)] }), hostPorts: false },
  ]
}

function kernelLocks(): Lock[] {
  const sysctls = [
    ...[
      'kernel.core_pattern',
      'kernel.panic',
      'kernel.hostname',
      'kernel.domainname',
      'vm.overcommit_memory',
      'fs.file-max',
    ],
    ...[
      'net.netfilter.nf_conntrack_max',
      'net.core.rmem_max',
      'net.bridge.bridge-nf-call-iptables',
      'user.max_user_namespaces',
    ],
    ...[
      'net.ipv4/../../kernel/core_pattern',
      'net.ipv4.ip_forward\n',
      ' net.ipv4.ip_forward',
      'NET.ipv4.ip_forward',
      'net/ipv4/ip_forward',
    ],
    ...['net.ipv4.', 'net.ipv4..x', 'kernel.shmmax.x', 'fs.mqueue.', ''],
  ]
  const limits: [string, number, number][] = [
    ...(['rtprio', 'nice', 'rttime', 'sigpending', 'msgqueue', 'locks', 'rss', 'NOFILE', '__proto__', ''] as const).map(
      (name): [string, number, number] => [name, 1, 1],
    ),
    ['nofile', 1_073_741_816, 1_073_741_816],
    ['nofile', -1, -1],
    ['core', 1, 1],
    ['core', -1, -1],
    ['nproc', 2_000_000, 2_000_000],
    ['memlock', -2, -2],
    ['stack', 1.5, 2],
  ]
  return [
    ...sysctls.map((name) => lock(`kernel setting ${JSON.stringify(name)}`, { sysctls: { [name]: '1' } })),
    ...['1\n2', '|/bin/sh', '', '1;2'].map((value) =>
      lock(`kernel value ${JSON.stringify(value)}`, { sysctls: { 'net.ipv4.ip_forward': value } }),
    ),
    ...limits.map(([name, soft, hard]) =>
      lock(`limit ${JSON.stringify(name)} of ${soft}`, { ulimits: [{ name, soft, hard }] }),
    ),
  ]
}

function nameLocks({ network }: Place): Lock[] {
  const hostnames = [
    'web.victim.internal',
    'db.',
    '.db',
    'a b',
    'a\tb',
    'a/b',
    'a:b',
    '*',
    'é',
    '-a',
    'a-',
    'a\n',
    'x'.repeat(64),
    '{{.Node.ID}}',
  ]
  const aliases = ['a b', '*', '', '/', 'a,b', 'é', '-', '.x', 'a\n', 'x'.repeat(300)]
  const hosts = [
    ['a b', '198.19.0.9'],
    ['a\tb', '198.19.0.9'],
    ['', '198.19.0.9'],
    ['a', 'host'],
    ['a', '198.19.0.9 b'],
    ['a', ''],
  ] as const
  return [
    ...hostnames.map((hostname) => lock(`host name ${JSON.stringify(hostname).slice(0, 40)}`, { hostname })),
    ...aliases.map((alias) =>
      lock(`alias ${JSON.stringify(alias).slice(0, 40)}`, { networks: [{ name: network, aliases: [alias] }] }),
    ),
    ...hosts.map(([name, address]) => lock(`host ${JSON.stringify([name, address])}`, { hosts: [{ name, address }] })),
    ...['', 'A=B', 'A\0'].map((name) => lock(`variable ${JSON.stringify(name)}`, { environment: { [name]: 'x' } })),
    lock('a variable with NUL', { environment: { A: 'x\0y' } }),
    ...['', ' '].map((image) => lock(`image “${image}”`, { image })),
  ]
}

const file = (more: Odd) => ({
  files: [{ kind: 'config', name: 'f', content: 'eA==', target: '/f', uid: '0', gid: '0', mode: 0o444, ...more }],
})

const countLocks = (): Lock[] => [
  ...[-1, 1.5, 101, 1000, Number.NaN].map((replicas) => lock(`${replicas} replicas`, { replicas })),
  ...[0, -1, 0.001, Number.NaN].map((cpus) => lock(`${cpus} processors`, { cpus })),
  ...[0, -1, Number.NaN].map((pids) => lock(`${pids} processes`, { pids })),
  ...[
    { target: 'f' },
    { target: '/' },
    { content: '' },
    { uid: 'root' },
    { gid: '-1' },
    { mode: -1 },
    { mode: 0o10000 },
  ].map((more) => lock(`file ${JSON.stringify(more)}`, file(more))),
]

/** Words that the engine knows and a spec does not. */
function oddLocks({ hostFolder }: Place): Lock[] {
  const words: Odd = {
    privileged: true,
    pidMode: 'host',
    ipcMode: 'host',
    cgroupParent: '/',
    cgroupnsMode: 'host',
    usernsMode: 'host',
    runtime: 'runc',
    isolation: 'host',
    devices: [{ PathOnHost: '/dev/kmsg', PathInContainer: '/dev/kmsg', CgroupPermissions: 'rwm' }],
    mounts: [{ Type: 'bind', Source: hostFolder, Target: '/m' }],
    binds: [`${hostFolder}:/m`],
    securityOpt: ['seccomp=unconfined'],
    Privileges: { Seccomp: { Mode: 'unconfined' }, AppArmor: { Mode: 'disabled' } },
    oomScoreAdj: -1000,
    Placement: { Constraints: ['node.role==manager'] },
    logDriver: { Name: 'syslog', Options: { 'syslog-address': 'tcp://198.19.0.9:1' } },
    Reservations: { MemoryBytes: 2 ** 40 },
    CapabilityAdd: ['CAP_SYS_ADMIN'],
  }
  return Object.entries(words).map(([word, value]) => ({
    ...lock(`the word ${word}`, { [word]: value }),
    odd: true as const,
  }))
}
