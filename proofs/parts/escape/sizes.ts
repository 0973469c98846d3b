import { chosen } from '../../ledger/sizes.ts'

/** One for each way in that there has been. */
const SOME = new Set([
  'build-args-buildkit-syntax',
  'build-net-victim',
  'df-add-loopback',
  'df-add-metadata',
  'df-cache-same-id',
  'df-look',
  'df-onbuild-foreign-cache',
  'df-onbuild-foreign-copy',
  'df-syntax-2029',
  'df-syntax-cr',
  'dom-future-free-name',
  'dom-many-300',
  'dom-victim-sub',
  'edge-asked-port-of-gateway',
  'edge-two-hosts',
  'exh-log-size',
  'exh-ports-150',
  'exh-reserve-all-memory',
  'file-through-a-link',
  'git-symlink-absolute',
  'hostname-api.payments.example',
  'hostname-db',
  'hostname-victim-alias',
  'image-operator-local',
  'log-injection',
  'net-metadata',
  'net-raw-arp-edge-on-gwbridge',
  'net-reach-victim-on-edge-net',
  'redact-bypass',
  'sec-cap-net-raw',
  'sec-sysctl-conntrack-max',
  'sec-ulimit-nofile-huge',
  'sec-ulimit-rtprio',
  'svc-ports-edge',
  'up-symlink-absolute',
  'vol-external-gateway-sockets',
  'vol-external-victim',
  'vol-tmpfs-plain-huge',
  'vol-tmpfs-rbind',
  'vol-tmpfs-rbind-tab',
])

/** `hasParts`: also what is no single input, but for what is exhausted, which is taken by name. */
export type Size = { whole: boolean; hasParts: boolean; takes(name: string): boolean }

/** SLIPWAY_ESCAPE: nothing for all, `some`, or a pattern for names, while one works on a case. */
export function sizeOf(asked = chosen('SLIPWAY_ESCAPE')): Size {
  if (asked === undefined) return { whole: true, hasParts: true, takes: () => true }
  if (asked === 'some') return { whole: false, hasParts: true, takes: (name) => SOME.has(name) }
  const pattern = new RegExp(asked)
  return { whole: false, hasParts: false, takes: (name) => pattern.test(name) }
}
