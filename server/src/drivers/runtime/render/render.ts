import type { HealthConfig, SwarmSpec, TaskTemplate } from '../../engine/answers.ts'
import { serviceName } from '../labels.ts'
import { growsTo } from '../rollout/grow.ts'
import type { ServiceSpec } from '../rollout/spec.ts'
import { type Bounds, LEAST_PAUSE_MS, limitsOf, logOptions } from './bounds.ts'
import { containerSpec, type FileReferences, labelsOf } from './container.ts'

export type Rendering = {
  instance: string
  /** Of the engine: 145 for 1.45. */
  api: number
  bounds: Bounds
  /** The engine's ids of the networks, by name. */
  networks: ReadonlyMap<string, string>
  health: HealthConfig | undefined
  /** Those of the spec, which the engine has already. */
  files?: FileReferences
  /** What the engine finds the image by; its name where nothing is said. */
  image?: string
  /** Carried from what runs: a restored spec then equals its tasks, and none of them is replaced. */
  forceUpdate: number
  /** How many are started with this write; all where nothing is said. */
  first?: number
  /** What the update finds: something that serves, nothing that runs, or a rollout that it interrupts. */
  over: 'running' | 'nothing' | 'rollout'
}

const ROLLBACK_MONITOR_MS = 3000
/** How often a job that fails is tried again where nothing is said; without a number the engine would never end. */
const JOB_ATTEMPTS = 3
const conditions = { always: 'any', 'on-failure': 'on-failure', never: 'none' } as const

/** Our spec in the engine's words. */
export function renderService(spec: ServiceSpec, rendering: Rendering): SwarmSpec {
  const { instance, over, first = spec.replicas } = rendering
  return {
    Name: serviceName(instance, spec),
    Labels: { ...labelsOf(spec, instance), ...growsTo(spec.replicas, first) },
    TaskTemplate: taskTemplate(spec, rendering),
    Mode: spec.job ? { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } : { Replicated: { Replicas: first } },
    // One address per task: virtual addresses need IPVS, and the edge balances by itself.
    EndpointSpec: { Mode: 'dnsrr', Ports: portsOf(spec) },
    // The engine refuses them for a job, which has nothing to go back to.
    ...(!spec.job && rollsOf(spec, over)),
  }
}

function taskTemplate(
  spec: ServiceSpec,
  { instance, api, bounds, networks, health, files, image, forceUpdate }: Rendering,
): TaskTemplate {
  return {
    ContainerSpec: containerSpec(spec, { instance, api, health, files, image }),
    // Nothing is reserved: what one project reserves and does not use, others could not have.
    Resources: { Limits: limitsOf(spec, bounds) },
    RestartPolicy: restartOf(spec),
    Networks: spec.networks.map(({ name, aliases }) => ({ Target: networks.get(name) ?? name, Aliases: aliases })),
    LogDriver: { Name: 'local', Options: logOptions(spec) },
    ForceUpdate: forceUpdate,
  }
}

function rollsOf(spec: ServiceSpec, over: Rendering['over']): Pick<SwarmSpec, 'UpdateConfig' | 'RollbackConfig'> {
  const roll = { Order: orderOf(spec), MaxFailureRatio: 0 }
  // What is interrupted is no good, so the engine must not go back to it; nor may it go on, which would end what still
  // serves.
  const action = over === 'rollout' ? 'pause' : 'rollback'
  return {
    UpdateConfig: {
      ...roll,
      // Start-first over a crash loop: the engine's restart and its update both start a task, and both may stay.
      ...(over === 'nothing' && { Order: 'stop-first' as const }),
      Parallelism: 1,
      // Every end is a failure to the engine, also one that is none: where there may be one, we go back ourselves.
      FailureAction: spec.mayEnd && spec.restart !== 'always' ? 'continue' : action,
      Monitor: ns(spec.monitorMs),
    },
    RollbackConfig: { ...roll, Parallelism: 0, FailureAction: 'pause', Monitor: ns(ROLLBACK_MONITOR_MS) },
  }
}

function restartOf({ job, restart, restartPolicy = {} }: ServiceSpec): NonNullable<TaskTemplate['RestartPolicy']> {
  const { delayMs = 0, maxAttempts, windowMs } = restartPolicy
  const again = job && restart !== 'never'
  const attempts = again ? maxAttempts || JOB_ATTEMPTS : maxAttempts
  return {
    Condition: again ? 'on-failure' : conditions[restart],
    // The engine has no back-off of its own.
    Delay: ns(Math.max(delayMs, LEAST_PAUSE_MS.restart)),
    ...(attempts !== undefined && { MaxAttempts: attempts }),
    ...(windowMs !== undefined && { Window: ns(windowMs) }),
  }
}

function orderOf({ order, volumes, binds = [], ports = [], canShare = false }: ServiceSpec): ServiceSpec['order'] {
  const exclusive = !canShare && [...volumes, ...binds].some(({ readOnly }) => !readOnly)
  return ports.length > 0 || exclusive ? 'stop-first' : order
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

function ns(ms: number): number {
  return ms * 1_000_000
}
