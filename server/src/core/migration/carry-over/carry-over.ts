import type { FoundConfig, FoundContainer, FoundImage, FoundVolume } from '../../../drivers/runtime/reading/found.ts'
import { hostnameOf, logOf, sysctlsOf, ulimitsOf } from '../../../source/compose/deployable/safety.ts'
import type { ComposeService, Restart } from '../../../source/compose/deployable/service.ts'
import { type CarriedImage, imageOf } from './image.ts'
import { type InPlace, mountsOf } from './mounts.ts'
import { networksOf, portsOf } from './network.ts'
import { argvOf, environmentOf, healthOf, hostsOf, labelsOf, ownHostname } from './process.ts'
import { capabilitiesOf, limitsOf, refuseRights, tellLosses } from './rights.ts'
import { type Tell, type Told, verdict } from './verdict.ts'

/** A container as a service of ours, in the words of a compose service. Its volumes and paths stay where they are. */
export type Carried = {
  image: CarriedImage
  service: Omit<ComposeService, 'name' | 'after' | 'configs' | 'secrets' | 'image' | 'build'>
  inPlace: InPlace[]
  /** Why it cannot be adopted. */
  reasons: Told[]
  /** What is not as it was. */
  warnings: Told[]
}

export type Around = {
  image: FoundImage | null
  volumes: ReadonlyMap<string, FoundVolume>
  rootDir: string
  socketPath: string
  edgePorts: readonly number[]
  replicas: number
}

const NOTHING: FoundConfig = {
  ...{ image: '', hostname: '', domainname: '', user: '', workingDir: '', stopSignal: '', macAddress: '' },
  ...{ tty: false, stdin: false, environment: [], command: null, entrypoint: null, labels: {} },
  ...{ stopTimeout: null, health: null, shell: [], exposed: [], volumes: [] },
}
const STOP_SECONDS = 10

type Found = { found: FoundContainer; base: FoundConfig; tell: Tell }

export function carryOver(found: FoundContainer, around: Around): Carried {
  const { replicas, edgePorts } = around
  const base = around.image?.config ?? NOTHING
  const tell = verdict()
  refuseRights(found, tell)
  tellLosses(found, tell)
  const { inPlace, memory } = mountsOf(found, around, tell)
  const image = imageOf(found, around.image, tell)
  const service: Carried['service'] = {
    kind: 'service',
    ...programOf({ found, base, tell }),
    ...rightsOf({ found, base, tell }),
    ports: portsOf(found, edgePorts, tell),
    mounts: memory,
    networks: networksOf(found, tell),
    replicas,
    order: inPlace.some(({ readOnly }) => !readOnly) ? 'stop-first' : 'start-first',
    // As they share them already.
    canShare: replicas > 1,
  }
  return { image, service, inPlace, reasons: tell.reasons, warnings: tell.warnings }
}

/** What runs, and when it is started again. */
function programOf({ found, base, tell }: Found) {
  const { run, host } = found
  const restart = restartOf(host.restart)
  return {
    ...argvOf(run, base),
    environment: environmentOf(run, base, tell),
    exposed: run.exposed
      .filter(({ protocol }) => protocol === 'tcp')
      .map(({ port }) => ({ port, protocol: 'tcp' as const })),
    healthcheck: healthOf(run, base),
    restart,
    mayEnd: restart.when === 'never',
    stopGraceMs: (run.stopTimeout ?? STOP_SECONDS) * 1000,
    stopSignal: differs(run.stopSignal, base.stopSignal),
    user: differs(run.user, base.user),
    workingDir: differs(run.workingDir || '/', base.workingDir || '/'),
    init: host.init,
    tty: run.tty,
    stdin: run.stdin,
    labels: labelsOf(run, base, tell),
  }
}

/** What it may do and use, and whom it knows: held to what a compose file may say, by the same rules. */
function rightsOf({ found, tell }: Found) {
  const { host } = found
  const view = { trust: {}, warn: tell.warn }
  const hostname = ownHostname(found)
  const ulimits = Object.fromEntries(host.ulimits.map(({ name, soft, hard }) => [name, { soft, hard }]))
  const logging = { driver: host.log.driver, options: host.log.options }
  const said = { command: null, entrypoint: null, ulimits, logging, sysctls: host.sysctls }
  return {
    limits: limitsOf(found, tell),
    hostname: hostnameOf({ ...said, ...(hostname !== undefined && { hostname }) }, { ...view, names: [] }),
    groups: host.groups,
    capabilities: capabilitiesOf(found, tell),
    noNewPrivileges: host.securityOptions.some((one) => /^no-new-privileges([:=]true)?$/.test(one)),
    readOnly: host.readOnly,
    ulimits: ulimitsOf(said, view),
    sysctls: sysctlsOf(said, view),
    hosts: hostsOf(host, tell),
    dns: { servers: host.dns, options: host.dnsOptions, search: host.dnsSearch },
    log: logOf(said, view),
  }
}

/** Null where the image says it already. Empty over an image's own cannot be said, and means root or `/`. */
const differs = (own: string, base: string) => (own === base ? null : own)

function restartOf({ name, maxRetries }: FoundContainer['host']['restart']): Restart {
  if (name === 'always' || name === 'unless-stopped') return { when: 'always' }
  if (name === 'on-failure') return { when: 'on-failure', ...(maxRetries > 0 && { maxAttempts: maxRetries }) }
  return { when: 'never' }
}
