/** Where an installation has its parts. Nothing of it is anywhere else but the units of systemd and a link to the program. */
export const PATHS = {
  /** A folder per version, and `current`, which leads to the one that serves. */
  program: '/opt/slipway',
  versions: '/opt/slipway/versions',
  current: '/opt/slipway/current',
  link: '/usr/local/bin/slipway',
  /** Settings, with the keys that secrets are sealed with. */
  etc: '/etc/slipway',
  settings: '/etc/slipway/slipway.env',
  /** What backups are sealed with. Without it none can be opened. */
  passphrase: '/etc/slipway/backup-passphrase',
  /** Uploads and archived logs. */
  data: '/var/lib/slipway',
  /** What became of the last backup and the last drill; the server reads it. */
  notes: '/var/lib/slipway/platform-backups.json',
  /** Of the platform itself, apart from what it backs up. */
  backups: '/var/lib/slipway-backups',
  units: '/etc/systemd/system',
  socket: '/run/slipway/http.sock',
  /** What the package of PostgreSQL reads before it makes a cluster that nobody asked for. */
  noMainCluster: '/etc/postgresql-common/createcluster.d/slipway.conf',
} as const

export const UNITS = [
  'slipway.socket',
  'slipway.service',
  'slipway@.service',
  'slipway-backup.service',
  'slipway-backup.timer',
  'slipway-drill.service',
  'slipway-drill.timer',
] as const

/** Who the server runs as. */
export const USER = 'slipway'
