import { at, fault, type Place, quoted, type Warning } from '../faults.ts'
import type { ComposeProject, NormalService } from '../project.ts'
import { buildOf, hostsOf } from './build.ts'
import { canShare, isWritable, jobsOf, unknownWords } from './extension.ts'
import { fileMounts, filesOf } from './files.ts'
import { mountsOf } from './mounts.ts'
import { attachments, projectNetworks } from './networks.ts'
import { orderOf } from './order.ts'
import { exposedPorts, publishedPorts } from './ports.ts'
import { healthcheckOf, limitsOf, millisecondsOf, restartOf } from './run.ts'
import { capabilitiesOf, hostnameOf, logOf, noNewPrivileges, sysctlsOf, ulimitsOf } from './safety.ts'
import type { ComposeMount, ComposeService, Deployable, Trust } from './service.ts'
import { unsupportedKeys } from './unsupported-keys.ts'
import { volumeForm } from './volume-options.ts'

/** A normal form in our own words. What cannot be had is named in the warnings; what would be unsafe is refused. */
export function servicesOf(project: ComposeProject, trust: Trust = {}): Deployable & { warnings: Warning[] } {
  const unknown = unknownWords(project).map((word) => ({ ...word, message: 'Slipway knows no such word here.' }))
  const warnings: Warning[] = [...unsupportedKeys(project), ...unknown]
  const warn = (service: string, key: string, message: string) => warnings.push({ service, key, message })
  const attached = attachments(project, warn)
  const mounts = new Map<string, ComposeMount[]>()
  const order = orderOf(project.services)
  const jobs = jobsOf(project)
  const services = order.map((name) => {
    const view = { place: placeOf('services', name), trust, known: mounts, names: order, warn: warnFor(name, warn) }
    mounts.set(name, mountsOf(name, project, view))
    const own = {
      networks: attached.get(name) ?? [],
      mounts: mounts.get(name) ?? [],
      ports: publishedPorts(project.services[name] as NormalService, view),
      job: jobs.has(name),
    }
    return serviceOf(name, project, { ...view, ...own })
  })
  return {
    services,
    order,
    networks: projectNetworks(project, attached),
    volumes: volumesOf(project, services),
    configs: filesOf(project.configs, (key) => placeOf('configs', key)),
    secrets: filesOf(project.secrets, (key) => placeOf('secrets', key)),
    warnings,
  }
}

const placeOf = (...path: string[]): Place => ({ file: '', path })

const warnFor =
  (service: string, warn: (service: string, key: string, message: string) => void) => (key: string, message: string) =>
    warn(service, key, message)

type View = {
  place: Place
  trust: Trust
  /** Of all services. */
  names: string[]
  networks: ComposeService['networks']
  mounts: ComposeMount[]
  ports: ComposeService['ports']
  job: boolean
  warn(key: string, message: string): void
}

function serviceOf(name: string, project: ComposeProject, view: View): ComposeService {
  const service = project.services[name] as NormalService
  const { place, job, mounts } = view
  const share = canShare(service, mounts, project)
  const said = restartOf(service, place)
  // A job that is restarted whenever it ends would never be done.
  warnOfGap(service, view, share)
  const restart = job && said.when === 'always' ? { ...said, when: 'never' as const } : said
  return {
    name,
    kind: job ? 'job' : 'service',
    mayEnd: !job && restart.when === 'never',
    image: imageOf(service, place),
    build: service.build ? buildOf(service.build) : null,
    command: service.command,
    entrypoint: service.entrypoint,
    environment: environmentOf(service, view),
    ports: view.ports,
    exposed: exposedPorts(service, view),
    mounts,
    configs: fileMounts(service.configs, '/'),
    secrets: fileMounts(service.secrets, '/run/secrets'),
    networks: view.networks,
    after: afterOf(service, project),
    healthcheck: healthcheckOf(service.healthcheck),
    replicas: replicasOf(service, view),
    limits: limitsOf(service),
    restart,
    order: rollingOrder(service, view, share),
    canShare: share,
    stopGraceMs: millisecondsOf(service.stop_grace_period) ?? null,
    stopSignal: service.stop_signal ?? null,
    ...identityOf(service, view),
    ...settingsOf(service, view),
  }
}

function identityOf(service: NormalService, view: View) {
  return {
    user: service.user ?? null,
    workingDir: service.working_dir ?? null,
    hostname: hostnameOf(service, view),
    groups: service.group_add ?? [],
    capabilities: capabilitiesOf(service, view),
    noNewPrivileges: noNewPrivileges(service, view),
    readOnly: service.read_only ?? false,
    init: service.init ?? false,
    tty: service.tty ?? false,
    stdin: service.stdin_open ?? false,
    labels: service.labels ?? {},
  }
}

function settingsOf(service: NormalService, view: View) {
  return {
    ulimits: ulimitsOf(service, view),
    sysctls: sysctlsOf(service, view),
    hosts: hostsOf(service.extra_hosts),
    dns: { servers: service.dns ?? [], options: service.dns_opt ?? [], search: service.dns_search ?? [] },
    log: logOf(service, view),
  }
}

const IMAGE = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*(:[\w][\w.-]{0,127})?(@sha256:[a-f0-9]{64})?$/i

function imageOf({ image }: NormalService, place: Place): string | null {
  if (image === undefined) return null
  if (image.length <= 512 && IMAGE.test(image)) return image
  throw fault(at(place, 'image'), `${quoted(image)} is not the name of an image`, 'Write it as name:tag.')
}

/** A variable without a value anywhere is not set, as in compose; it is said, because it is seldom meant. */
function environmentOf({ environment = {} }: NormalService, { warn }: View): Record<string, string> {
  const set: [string, string][] = []
  for (const [key, value] of Object.entries(environment)) {
    if (value !== null) set.push([key, value])
    else warn(`environment.${key}`, 'It has no value, and no variable of the project has its name: it is not set.')
  }
  return Object.fromEntries(set)
}

const UNTIL = {
  service_started: 'started',
  service_healthy: 'healthy',
  service_completed_successfully: 'completed',
} as const

function afterOf({ depends_on: waits = {} }: NormalService, { services }: ComposeProject): ComposeService['after'] {
  return Object.entries(waits)
    .filter(([service]) => Object.hasOwn(services, service))
    .map(([service, { condition, required }]) => ({ service, until: UNTIL[condition], required }))
}

const MOST_REPLICAS = 100

function replicasOf({ deploy, scale }: NormalService, { place, warn }: View): number {
  if (deploy?.mode?.startsWith('global')) warn('deploy.mode', 'One container runs, not one on every machine.')
  const replicas = deploy?.replicas ?? scale ?? 1
  if (replicas >= 0 && replicas <= MOST_REPLICAS) return replicas
  const hint = `Use a number from 0 to ${MOST_REPLICAS}.`
  throw fault(at(place, 'deploy', 'replicas'), `${replicas} containers cannot be run`, hint)
}

/** Said before it happens: two that write to the same files, or hold the same port, cannot run at once. */
function warnOfGap({ deploy }: NormalService, { job, mounts, ports, warn }: View, share: boolean): void {
  if (job || deploy?.replicas === 0) return
  const [port] = ports
  if (port) warn('ports', `It stops before its successor starts: both would need port ${port.published} of the server.`)
  else if (!share && mounts.some(isWritable))
    warn('volumes', 'It stops before its successor starts: both would write to the same volume.')
}

/** Two containers that write to the same files at once destroy them, unless they are made for it. */
function rollingOrder(service: NormalService, { mounts, warn }: View, share: boolean): ComposeService['order'] {
  const wanted = service.deploy?.update_config?.order
  if (share || !mounts.some(isWritable)) return wanted === 'stop-first' ? 'stop-first' : 'start-first'
  if (wanted === 'start-first') {
    warn(
      'deploy.update_config.order',
      'It stops before its successor starts: both would write to the same volume. x-slipway: { share: true } says that they may.',
    )
  }
  return 'stop-first'
}

/** Those of the project, and those that only have a place. */
function volumesOf(project: ComposeProject, services: ComposeService[]): Deployable['volumes'] {
  const defined = Object.entries(project.volumes).flatMap(([key, volume]) => {
    const form = volumeForm(volume, placeOf('volumes', key))
    return form.kind === 'folder' ? [] : [{ key, memory: form.kind === 'memory' ? form.memory : null }]
  })
  const used = new Set(
    services.flatMap(({ mounts }) => mounts.flatMap((one) => (one.kind === 'volume' ? [one.volume] : []))),
  )
  for (const { key } of defined) used.delete(key)
  return [...defined, ...[...used].map((key) => ({ key, memory: null }))]
}
