import type { HealthConfig, SwarmSpec } from '../answers.ts'
import { LABEL, serviceName } from '../labels.ts'
import { contentHash } from './identity.ts'
import { type ServiceSpec, specHash } from './spec.ts'

export type Rendering = {
  instance: string
  health: HealthConfig | undefined
  /** Carried from what runs: a restored spec then equals its tasks, and none of them is replaced. */
  forceUpdate: number
  /** What the update finds: something that serves, nothing that runs, or a rollout that it interrupts. */
  over: 'running' | 'nothing' | 'rollout'
}

/** What the engine waits before it starts a dead task again; it has no back-off of its own. */
const RESTART_DELAY_MS = 1000
const ROLLBACK_MONITOR_MS = 3000
const conditions = { always: 'any', 'on-failure': 'on-failure', never: 'none' } as const

/** Our spec in the engine's words. */
export function renderService(spec: ServiceSpec, { instance, health, forceUpdate, over }: Rendering): SwarmSpec {
  const roll = { Order: orderOf(spec), MaxFailureRatio: 0 }
  return {
    Name: serviceName(instance, spec),
    Labels: labelsOf(spec, instance),
    TaskTemplate: {
      ContainerSpec: containerSpec(spec, { instance, health }),
      Resources: { Limits: amounts(spec), Reservations: amounts(spec.reserved ?? {}) },
      RestartPolicy: { Condition: conditions[spec.restart], Delay: ns(RESTART_DELAY_MS) },
      Networks: spec.networks.map(({ name, aliases }) => ({ Target: name, Aliases: aliases })),
      LogDriver: { Name: 'local', Options: { 'max-size': '10m', 'max-file': '3' } },
      ForceUpdate: forceUpdate,
    },
    Mode: { Replicated: { Replicas: spec.replicas } },
    // One address per task: virtual addresses need IPVS, and the edge balances by itself.
    EndpointSpec: { Mode: 'dnsrr', Ports: portsOf(spec) },
    UpdateConfig: {
      ...roll,
      // Start-first over a crash loop: the engine's restart and its update both start a task, and both may stay.
      ...(over === 'nothing' && { Order: 'stop-first' as const }),
      Parallelism: 1,
      // What is interrupted is no good, so the engine must not go back to it; nor may it go on, which would end what
      // still serves.
      FailureAction: over === 'rollout' ? 'pause' : 'rollback',
      Monitor: ns(spec.monitorMs),
    },
    RollbackConfig: { ...roll, Parallelism: 0, FailureAction: 'pause', Monitor: ns(ROLLBACK_MONITOR_MS) },
  }
}

function containerSpec(spec: ServiceSpec, { instance, health }: Pick<Rendering, 'instance' | 'health'>) {
  const content = {
    Image: spec.image,
    ...(spec.entrypoint && { Command: spec.entrypoint }),
    ...(spec.command && { Args: spec.command }),
    Env: Object.entries(spec.environment).map(([name, value]) => literal(`${name}=${value}`)),
  }
  return {
    ...content,
    Labels: { ...foreignLabels(spec), ...labelsOf(spec, instance), [LABEL.content]: contentHash(content) },
    ...(spec.workingDir && { Dir: spec.workingDir }),
    ...(spec.user && { User: spec.user }),
    Init: spec.init,
    StopGracePeriod: ns(spec.stopGraceMs),
    Mounts: spec.volumes.map(({ name, target, readOnly }) => ({
      Type: 'volume',
      Source: name,
      Target: target,
      ReadOnly: readOnly,
      VolumeOptions: { Labels: { [LABEL.instance]: instance, [LABEL.project]: spec.project } },
    })),
    ...(health && { Healthcheck: health }),
  }
}

/** The engine reads variables as templates: it would fill in `{{.Node.ID}}` and refuse a lone `{{`. */
function literal(text: string): string {
  return text.replaceAll('{{', '{{"{{"}}')
}

/** On the service and on each of its containers: a task shows no version, so the label is what tells old from new. */
function labelsOf(spec: ServiceSpec, instance: string): Record<string, string> {
  return {
    [LABEL.instance]: instance,
    [LABEL.org]: spec.org,
    [LABEL.project]: spec.project,
    [LABEL.service]: spec.service,
    [LABEL.deployment]: spec.deployment,
    [LABEL.spec]: specHash(spec),
  }
}

function foreignLabels({ labels = {} }: ServiceSpec): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !/^(slipway|com\.docker)\./.test(name)))
}

function orderOf({ order, volumes, ports = [] }: ServiceSpec): ServiceSpec['order'] {
  return ports.length > 0 || volumes.some((volume) => !volume.readOnly) ? 'stop-first' : order
}

function portsOf({ ports = [] }: ServiceSpec) {
  return ports.map(({ target, published, protocol }) => ({
    Protocol: protocol,
    TargetPort: target,
    PublishedPort: published,
    // The mesh needs IPVS and hides the caller's address.
    PublishMode: 'host' as const,
  }))
}

function amounts({ memoryBytes, cpus }: { memoryBytes?: number; cpus?: number }) {
  return {
    ...(memoryBytes !== undefined && { MemoryBytes: memoryBytes }),
    ...(cpus !== undefined && { NanoCPUs: Math.round(cpus * 1_000_000_000) }),
  }
}

function ns(ms: number): number {
  return ms * 1_000_000
}
