import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from 'dockerode'
import { apiOf } from '../../engine/ask.ts'
import { hashOf, healthcheck, INSTANCE_LABEL, leastRights, ROLE_LABEL, SPEC_LABEL, socketsOf } from '../container.ts'
import { type EdgeSettings, edgeFailure, type Gateway, type Mended } from '../edge.ts'
import { imageId } from '../image.ts'
import type { EdgeScope } from '../running.ts'
import { gatewayConfig, PROJECT_VARIABLE, SOCKETS } from './gateway-config.ts'

const SECOND = 1e9
const MIB = 1024 ** 2
const CONFIG_FILE = '/etc/slipway-gateway.json'
const MOST_MEETINGS = 5

/**
 * The way into a project: Caddy on the project's own network, which the edge reaches by a unix socket in a volume that the
 * two share. So no packet of the edge or of another project is ever on a network of this one. A Swarm service: it is there
 * again after a restart without anybody's help.
 */
export async function openGateway(
  scope: EdgeScope,
  gateway: Gateway,
  settings: EdgeSettings,
  wait: boolean,
): Promise<void> {
  for (let meetings = 0; ; meetings += 1) {
    try {
      const made = await bringAbout(scope, gateway, settings)
      if (wait) await untilOpen(scope, made)
      return
    } catch (error) {
      if (meetings === MOST_MEETINGS || !isMeeting(error)) throw error
    }
  }
}

type Made = { name: string; hash: string; changed: boolean }

async function bringAbout(scope: EdgeScope, gateway: Gateway, settings: EdgeSettings): Promise<Made> {
  const config = await ensureConfig(scope, settings)
  const [found] = await gatewaysOf(scope, settings, serviceNameOf(scope.name, gateway))
  return put(scope, gateway, settings, { config, found })
}

/** All of them, by one look; what fails for one project does so for it alone. */
export async function mendGateways(scope: EdgeScope, wanted: Gateway[], settings: EdgeSettings): Promise<Mended> {
  const config = await ensureConfig(scope, settings)
  const found = await gatewaysOf(scope, settings)
  const done: Mended = { changed: 0, failed: [] }
  for (const gateway of wanted) {
    const there = found.find(({ Spec }) => Spec?.Name === serviceNameOf(scope.name, gateway))
    try {
      const { changed } = await put(scope, gateway, settings, { config, found: there })
      if (changed) done.changed += 1
    } catch (error) {
      scope.signal.throwIfAborted()
      if (!isMeeting(error)) done.failed.push(`${gateway.project}: ${(error as Error).message}`)
    }
  }
  return done
}

async function put(
  { docker, name }: EdgeScope,
  gateway: Gateway,
  settings: EdgeSettings,
  { config, found }: { config: Config; found: Service | undefined },
): Promise<Made> {
  const check = checkOf(apiOf(docker))
  const { hash, spec } = gatewayService(name, gateway, settings, { config, check })
  const changed = found?.Spec?.Labels?.[SPEC_LABEL] !== hash
  if (!changed) return { name: spec.Name, hash, changed }
  // By its id nobody is asked for it when a task starts. The edge beside it runs the same one, so it stays on the engine.
  const { ContainerSpec, ...template } = spec.TaskTemplate
  const Image = (await imageId({ docker }, settings.image)) ?? settings.image
  const body = { ...spec, TaskTemplate: { ...template, ContainerSpec: { ...ContainerSpec, Image } } }
  if (!found) await docker.createService(body)
  else await docker.getService(found.ID).update({ _query: { version: found.Version?.Index }, _body: body })
  return { name: spec.Name, hash, changed }
}

/** dockerode has no type for what it answers. */
type Task = {
  DesiredState?: string
  Spec?: { ContainerSpec?: { Labels?: Record<string, string> } }
  Status?: { State?: string; Err?: string }
}

const POLL_MS = 200
/** A task that dies this often will not come up by waiting. */
const MOST_FAILED = 4

/** A task that runs is one whose check has passed. */
async function untilOpen({ docker, signal }: EdgeScope, { name, hash }: Omit<Made, 'changed'>): Promise<void> {
  for (;;) {
    const all: Task[] = await docker.listTasks({ filters: { service: [name] }, abortSignal: signal })
    const tasks = all.filter(({ Spec }) => Spec?.ContainerSpec?.Labels?.[SPEC_LABEL] === hash)
    if (tasks.some((task) => task.DesiredState === 'running' && task.Status?.State === 'running')) return
    const failed = tasks.filter(({ Status }) => Status?.State === 'failed' || Status?.State === 'rejected')
    if (failed.length >= MOST_FAILED) {
      const why = failed.map(({ Status }) => Status?.Err).find(Boolean) ?? 'its tasks ended'
      throw edgeFailure('edge_not_started', `The gateway ${name} does not start: ${why}.`)
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** Named after its project; what goes with the project carries the runtime's labels, and the runtime takes it away. */
const serviceNameOf = (name: string, { project }: Gateway) => `${name}-${project}`

type Config = { id: string; name: string }

/**
 * There is a gateway for each project, and each look costs the server a process: two hundred of them looked at as often as the edge
 * would take a processor. Engines before 25 know no other pace for the start.
 */
const checkOf = (api: number) => ({
  ...healthcheck,
  Interval: api < 144 ? healthcheck.Interval : 30 * SECOND,
  StartPeriod: 60 * SECOND,
})

function gatewayService(
  name: string,
  gateway: Gateway,
  { image, instance }: EdgeSettings,
  { config, check }: { config: Config; check: ReturnType<typeof checkOf> },
) {
  const { project, org, network } = gateway
  const order = { Parallelism: 1, Order: 'stop-first' as const, Monitor: 3 * SECOND }
  const container = {
    Image: image,
    Command: ['caddy', 'run', '--config', CONFIG_FILE],
    Init: true,
    Env: [`${PROJECT_VARIABLE}=${project}`, 'GOGC=50'],
    StopGracePeriod: 5 * SECOND,
    CapabilityDrop: leastRights.CapDrop,
    CapabilityAdd: leastRights.CapAdd.map((right) => `CAP_${right}`),
    Mounts: [{ Type: 'volume' as const, Source: socketsOf(name), Target: SOCKETS }],
    // What Swarm does not know is asked of nobody: a name of an absent service must not travel to other DNS servers,
    // and waiting for them would hold up the requests for it.
    DNSConfig: { Nameservers: ['127.0.0.1'], Search: ['.'] },
    Healthcheck: check,
  }
  const spec = {
    Name: serviceNameOf(name, gateway),
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' as const },
    // Two would listen at one socket.
    UpdateConfig: { ...order, FailureAction: 'rollback' as const },
    RollbackConfig: { ...order, FailureAction: 'pause' as const },
  }
  const task = {
    Networks: [{ Target: network }],
    Resources: { Limits: { MemoryBytes: 512 * MIB, Pids: 512 } },
    RestartPolicy: { Condition: 'any', Delay: SECOND / 2 },
    LogDriver: { Name: 'local', Options: { 'max-size': '5m', 'max-file': '2' } },
  }
  const hash = hashOf(JSON.stringify([spec, task, container, config.name]))
  const owner = { 'slipway.instance': instance, 'slipway.org': org, 'slipway.project': project }
  const Labels = { ...owner, [ROLE_LABEL]: 'gateway', [INSTANCE_LABEL]: instance, [SPEC_LABEL]: hash }
  const file = { Name: CONFIG_FILE, UID: '0', GID: '0', Mode: 0o444 }
  const Configs = [{ ConfigID: config.id, ConfigName: config.name, File: file }]
  const ContainerSpec = { ...container, Configs, Labels: { ...owner, [ROLE_LABEL]: 'gateway', [SPEC_LABEL]: hash } }
  return { hash, spec: { ...spec, Labels, TaskTemplate: { ...task, ContainerSpec } } }
}

/** One for all gateways; another text is another name, because these cannot change. */
async function ensureConfig({ docker, name, signal }: EdgeScope, { instance }: EdgeSettings): Promise<Config> {
  const text = JSON.stringify(gatewayConfig())
  const wanted = {
    Name: `${name}-gateway-${hashOf(text)}`,
    Labels: { [ROLE_LABEL]: 'gateway', [INSTANCE_LABEL]: instance },
    Data: Buffer.from(text).toString('base64'),
  }
  const all = await docker.listConfigs({ filters: { name: [wanted.Name] }, abortSignal: signal })
  const there = all.find(({ Spec }) => Spec?.Name === wanted.Name)
  return { id: there?.ID ?? ((await docker.createConfig(wanted)) as { id: string }).id, name: wanted.Name }
}

/** Those of this edge, or the one of that name. */
async function gatewaysOf(
  { docker, signal }: EdgeScope,
  { instance }: EdgeSettings,
  name?: string,
): Promise<Service[]> {
  const label = [`${ROLE_LABEL}=gateway`, `${INSTANCE_LABEL}=${instance}`]
  const filters = { label, ...(name !== undefined && { name: [name] }) }
  const found: Service[] = await docker.listServices({ filters, abortSignal: signal })
  // The filter takes every name that begins like this.
  return name === undefined ? found : found.filter((service) => service.Spec?.Name === name)
}

/** Swarm's own refusals come as 409 or, now and then, as 500. */
function isMeeting(error: unknown): boolean {
  const { statusCode, message = '' } = error as { statusCode?: number; message?: string }
  return statusCode === 409 || (statusCode === 500 && /out of sequence|conflicts with an existing/.test(message))
}
