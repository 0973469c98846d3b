import type { MigrationService, MigrationStack } from '@slipway/contract/migration-shape'
import type { ServerReport } from '@slipway/contract/servers'

/** What checks and scans of servers answer, for screens of servers that are not there. */
export const REPORT: ServerReport = {
  ok: true,
  checkedAt: new Date(Date.now() - 120_000).toISOString(),
  engineVersion: '28.5.1',
  swarm: 'active',
  cpus: 4,
  memoryBytes: 8e9,
  memoryAvailableBytes: 3e9,
  diskBytes: 8e10,
  diskFreeBytes: 4e9,
  portsInUse: [],
  checks: [
    { name: 'connection', state: 'ok', found: 'SSH works', fix: null },
    { name: 'engine', state: 'ok', found: 'Docker Engine 28.5.1 on Debian GNU/Linux 12, x86_64', fix: null },
    { name: 'swarm', state: 'ok', found: 'active, this is a manager', fix: null },
    {
      name: 'disk',
      state: 'warning',
      found: '3.7 GB free',
      fix: 'Remove what is not used: docker system prune frees images and build caches that nothing needs.',
    },
    { name: 'ports', state: 'ok', found: '80 and 443 are free', fix: null },
  ],
}

const shown = `ssh-ed25519 SHA256:${'B'.repeat(43)}`
const pinned = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
export const CHANGED: ServerReport = {
  ...REPORT,
  ok: false,
  engineVersion: null,
  cpus: null,
  memoryBytes: null,
  diskBytes: null,
  checks: [
    {
      name: 'connection',
      state: 'failed',
      found: `192.0.2.10:22 showed the host key ${shown}, but ${pinned} is the confirmed one.`,
      fix: 'If the server was reinstalled, compare the fingerprint on its own console and confirm the new one.',
    },
  ],
}

const service = (name: string, more: Partial<MigrationService> = {}): MigrationService => ({
  key: `compose/blog/${name}`,
  name,
  serviceName: name,
  containerId: null,
  replicas: 1,
  image: 'registry.example.com/team/blog-with-a-long-name:2026-11-18',
  digest: null,
  onlyHere: false,
  command: [],
  ports: [],
  volumes: [{ name: 'blog_data', source: null, target: '/data', kind: 'volume', readOnly: false, existing: true }],
  environment: [],
  networks: [],
  labels: [],
  names: [{ host: 'blog.example.com', path: null, port: 80, by: 'traefik' }],
  restart: 'always',
  health: null,
  status: 'running',
  platform: null,
  adoptable: true,
  reasons: [],
  warnings: [],
  ...more,
})

export const STACK: MigrationStack = {
  server: {
    engineVersion: '28.5.1',
    os: 'linux',
    swarm: 'active',
    manager: true,
    nodes: 1,
    liveRestore: false,
    rootless: false,
    ports: [],
  },
  composeStacks: [
    {
      name: 'blog',
      maker: 'compose v2',
      workingDir: '/srv/blog',
      platform: null,
      files: [{ path: '/srv/blog/compose.yaml', found: true, reason: null, matches: true }],
      differences: [],
      services: [
        service('web', { warnings: [{ key: 'restart', message: 'It is restarted by the engine in another way.' }] }),
        service('db', { names: [] }),
      ],
    },
  ],
  parked: [],
  containers: [
    service('redis', { key: 'container/redis', volumes: [], names: [] }),
    service('vpn', {
      key: 'container/vpn',
      adoptable: false,
      reasons: [{ key: 'network_mode', message: 'It uses the network of the server.' }],
      volumes: [],
      names: [],
    }),
  ],
  volumes: [],
  networks: [],
  warnings: ['Files below /home could not be read.'],
}
