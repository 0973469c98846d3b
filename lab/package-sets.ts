import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { cacheDir } from './paths.ts'

export type SetName =
  | 'database'
  | 'engine'
  | 'registry'
  | 'acme'
  | 'dns'
  | 'mail'
  | 's3'
  | 'clean'
  | 'gh'
  | 'newerGh'
  | 'clock'
  | 'browser'

interface PackageSet {
  /** With what they depend on, as far as the machine lacks it. */
  withDependencies: string[]
  /** Exactly these, from a newer Debian: its programs run here, its libraries would not mix. */
  alone: string[]
}

export const packageSets: Record<SetName, PackageSet> = {
  database: { withDependencies: ['postgresql-15'], alone: [] },
  engine: {
    withDependencies: ['iproute2', 'iptables', 'nftables', 'openssh-client', 'openssh-server', 'runc', 'tini'],
    alone: [
      'busybox-static/trixie', // in bookworm's, wget -T crashes
      'containerd/trixie',
      'docker.io/trixie',
      'docker-buildx/trixie',
      'docker-cli/trixie',
      'docker-compose/trixie',
      'caddy/trixie-backports',
    ],
  },
  registry: { withDependencies: ['docker-registry'], alone: [] },
  // Trixie's, which tells when to renew; bookworm's does not yet.
  acme: { withDependencies: [], alone: ['pebble/trixie'] },
  dns: { withDependencies: ['bind9', 'knot'], alone: [] },
  mail: { withDependencies: ['exim4-daemon-light'], alone: [] },
  s3: { withDependencies: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'], alone: [] },
  // Makes a Debian that has nothing of this machine.
  clean: { withDependencies: [], alone: ['mmdebstrap/bookworm'] },
  // Two versions of one program: they would overwrite each other in one set.
  gh: { withDependencies: ['gh'], alone: [] },
  newerGh: { withDependencies: [], alone: ['gh/trixie'] },
  // Programs that believe in another time.
  clock: { withDependencies: ['libfaketime'], alone: [] },
  browser: { withDependencies: ['chromium', 'fonts-dejavu-core'], alone: [] },
}

/** Where a set's packages are unpacked; another list of packages is another folder. */
export function packageRoot(set: SetName): string {
  const key = createHash('sha256').update(JSON.stringify(packageSets[set])).digest('hex').slice(0, 12)
  return join(cacheDir, 'packages', `${set}-${key}`)
}
