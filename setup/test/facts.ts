import type { Facts } from '../look/look.ts'

/** A clean Debian 13 with two gigabytes: what tests change is all that they are about. */
export function facts(change: { [Part in keyof Facts]?: Partial<Facts[Part]> } = {}): Facts {
  return {
    system: {
      root: true,
      host: 'vps',
      os: { id: 'debian', version: '13', name: 'Debian GNU/Linux 13 (trixie)' },
      systemd: true,
      architecture: 'x64',
      memoryMb: 2048,
      swapMb: 0,
      freeGb: 40,
      addresses: ['203.0.113.10'],
      namesAnswered: true,
      clockInSync: true,
      ufw: false,
      ...change.system,
    },
    engine: {
      installed: false,
      answers: false,
      version: '',
      containers: 0,
      snap: false,
      rootless: false,
      liveRestore: false,
      lacks: [],
      swarm: { state: 'inactive', manager: false, nodes: 0 },
      buildx: null,
      ...change.engine,
    },
    listeners: { 22: 'sshd', ...change.listeners },
    platforms: (change.platforms as string[] | undefined) ?? [],
    installed: {
      version: null,
      versions: [],
      running: [],
      settings: {},
      settingsAreNewer: false,
      user: false,
      cluster: null,
      passphrase: false,
      notes: null,
      programs: { git: false, clusters: false },
      ...change.installed,
    },
  }
}

/** An engine as Debian 13 has it, with a Swarm of its own. */
export const ENGINE = {
  installed: true,
  answers: true,
  version: '26.1.5',
  swarm: { state: 'active', manager: true, nodes: 1 },
  buildx: '/usr/libexec/docker/cli-plugins/docker-buildx',
}

export const SETTINGS = {
  SLIPWAY_DATABASE_URL: 'postgres://slipway@%2Fvar%2Frun%2Fpostgresql:5432/slipway',
  SLIPWAY_SECRET_KEY: '00',
  SLIPWAY_PUBLIC_URL: 'http://127.0.0.1:4600',
  SLIPWAY_DATA_DIR: '/var/lib/slipway',
  SLIPWAY_TRUST_PROXY: 'loopback',
  SLIPWAY_DATABASE_CONNECTIONS: '12',
  SLIPWAY_PLATFORM_SOCKET: '/run/slipway/http.sock',
  SLIPWAY_EDGE_HTTP_PORT: '80',
  SLIPWAY_EDGE_HTTPS_PORT: '443',
}

/** All of it there and running. */
export const INSTALLED = {
  version: '1.0.0',
  versions: ['1.0.0'],
  running: ['1.0.0'],
  settings: SETTINGS,
  settingsAreNewer: false,
  user: true,
  cluster: { major: '17', whole: true },
  passphrase: true,
  notes: null,
  programs: { git: true, clusters: true },
}
