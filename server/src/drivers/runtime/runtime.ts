import type { EngineTarget } from '../engine/engine.ts'
import type { RegistryLogin } from '../engine/registry-login.ts'
import type { GarbageReport, GarbageRoots } from './garbage.ts'
import type { Guard } from './guard.ts'
import type { ImageFacts } from './images/images.ts'
import type { PullOptions } from './images/pull.ts'
import type { ServiceKey } from './labels.ts'
import type { MachineGuard } from './machine/machine-guard.ts'
import type { EngineOwner } from './owner.ts'
import type { PutFiles } from './put-files.ts'
import type { Occupancy, Wanted } from './reading/occupants.ts'
import type { Applied } from './rollout/apply.ts'
import type { Outcome, WatchOptions } from './rollout/outcome.ts'
import type { Restarted } from './rollout/restart.ts'
import type { ServingOptions } from './rollout/serving.ts'
import type { ServiceSpec } from './rollout/spec.ts'
import type { Leaving } from './rollout/wait-free.ts'
import type { Holder } from './running/holders.ts'
import type { LogLine } from './running/log-lines.ts'
import type { LogOptions } from './running/logs.ts'
import type { ObservedService } from './running/observe.ts'
import type { Snapshot } from './running/snapshot.ts'
import type { Survey } from './running/survey.ts'
import type { RunningTask } from './running/tasks.ts'
import type { TaskUsage, Whose } from './running/usage.ts'
import type { ProjectVolume } from './volumes.ts'
import type { Withdrawn } from './withdraw.ts'

type Call = { signal: AbortSignal }
type Write = Call & { guard?: Guard }

/**
 * What runs on an engine. Each operation may be repeated, has a deadline, ends with its signal's reason, and is the same
 * over the local socket and over SSH. Failures: EngineFailure, SshFailure (no way to the engine), RuntimeFailure (a "no").
 */
export interface Runtime {
  /**
   * Creates or updates. Restoring is applying an older spec, with `interrupt` if a rollout may still be running. A job runs
   * once for each deployment that it is applied for; what it was before, and what still runs of it, is removed first. Nothing
   * is started beside containers that are being stopped and were its own, or have a volume or a port that it wants.
   */
  apply(
    engine: EngineTarget,
    spec: ServiceSpec,
    options: Write & { interrupt?: boolean; onWait?: (leaving: Leaving) => void; login?: RegistryLogin | null },
  ): Promise<Applied>
  /** Whether all tasks of a spec that was applied run before the deadline; of a job, whether it has done its work. */
  serving(engine: EngineTarget, service: ServiceKey, options: ServingOptions): Promise<boolean>
  /** How the rollout of a deployment ended; any number may watch, from any moment on. */
  watch(engine: EngineTarget, service: ServiceKey, options: WatchOptions): Promise<Outcome>
  /** New tasks of the same spec without a gap; the same token again finds it done. Without a login it keeps the one it has. */
  restart(
    engine: EngineTarget,
    service: ServiceKey,
    options: Write & { token: string; deployment?: string; spec?: ServiceSpec; login?: RegistryLogin | null },
  ): Promise<Restarted>
  /**
   * Removes a service that is one of these deployments', as it was seen: one that is another's by now stays. Also waits until
   * its containers are gone, unless told not to.
   */
  remove(
    engine: EngineTarget,
    service: ServiceKey,
    options: Write & { deployments: (string | null)[] | 'any'; wait?: boolean },
  ): Promise<{ removed: boolean }>
  /** Takes all of a project but its images and volumes away, and returns when it is gone. */
  withdraw(engine: EngineTarget, project: string, options: Write & { atOnce?: boolean }): Promise<Withdrawn>
  observe(engine: EngineTarget, project: string, options: Call): Promise<ObservedService[]>
  /** All that a plan looks at: what there is of a project, how it is, and who has what only one can have. */
  snapshot(engine: EngineTarget, project: string, options: Call): Promise<Snapshot>
  /** What `snapshot` calls a spec that was applied: equal means unchanged. */
  specHash(spec: ServiceSpec): string
  /** Other services of its project that have a volume or a port which the spec needs for itself alone. */
  holders(engine: EngineTarget, spec: ServiceSpec, options: Call): Promise<Holder[]>
  /** Who of others, Slipway apart, has what is to be used where it is; and what of it is not there. */
  occupants(engine: EngineTarget, wanted: Wanted, options: Call): Promise<Occupancy>
  /** What runs of all projects, to compare with what is to run. */
  survey(engine: EngineTarget, options: Call): Promise<Survey>
  tasks(engine: EngineTarget, project: string, options: Call): Promise<RunningTask[]>
  /** Of a project, or of all projects of an organization. */
  usage(engine: EngineTarget, whose: Whose, options: Call): Promise<TaskUsage[]>
  /** Ends with the log, or with the signal when it follows. Reads no faster than it is read. */
  logs(engine: EngineTarget, service: ServiceKey, options: LogOptions): AsyncIterable<LogLine>
  /** `internal`: no way to the outside. One that is there stays as it is. */
  ensureNetwork(
    engine: EngineTarget,
    name: string,
    options: Call & { org: string; project?: string; internal?: boolean },
  ): Promise<void>
  /** Whether it was there. One that is in use is a failure. */
  removeNetwork(engine: EngineTarget, name: string, options: Call): Promise<boolean>
  images: {
    exists(engine: EngineTarget, image: string, options: Call): Promise<boolean>
    inspect(engine: EngineTarget, image: string, options: Call): Promise<ImageFacts | null>
    /** Brings it from its registry, or sees whether there is a newer one. */
    pull(engine: EngineTarget, image: string, options: PullOptions & { deadlineMs?: number }): Promise<void>
    /** Whether its registry hands it out to this login; nothing is fetched, and what lies on the engine does not count. */
    offered(engine: EngineTarget, image: string, options: Call & { login: RegistryLogin | null }): Promise<boolean>
    /** Whether it was there. One that a container uses is a failure. */
    remove(engine: EngineTarget, image: string, options: Call): Promise<boolean>
    /** Gives an image a name of ours, so that whoever tidies the server up leaves it. */
    keep(engine: EngineTarget, image: string, options: Call & { repository: string; tag: string }): Promise<void>
    /** Names of the images of a repository. */
    list(engine: EngineTarget, repository: string, options: Call): Promise<string[]>
  }
  volumes: {
    /** Those of a project on this engine's machine. */
    list(engine: EngineTarget, project: string, options: Call): Promise<ProjectVolume[]>
    /** Names of those of the instance that were made with mount options, and so may be any folder of the server. */
    mounting(engine: EngineTarget, options: Call): Promise<string[]>
    /** Whether it was there. One that a container has, also one that has ended, is a failure. */
    remove(engine: EngineTarget, project: string, name: string, options: Write): Promise<boolean>
  }
  /** Writes files into the project's volume for them, and says its name. What else is in it stays. */
  putFiles(engine: EngineTarget, files: PutFiles, options: Call): Promise<{ volume: string }>
  /** Whom the engine serves. Only one organization can have it, however many addresses lead to it. */
  owner: {
    read(engine: EngineTarget, options: Call): Promise<EngineOwner>
    /** Fails with `engine_taken` where another organization was first, with `engine_foreign` where another instance was. */
    claim(engine: EngineTarget, org: string, options: Call): Promise<EngineOwner>
    release(engine: EngineTarget, org: string, options: Call): Promise<void>
    /** Claims it whoever has it: because an operator says that nobody has. */
    seize(engine: EngineTarget, org: string, options: Call): Promise<EngineOwner>
  }
  /** Keeps containers from what is the machine's own affair. What was done before is not done again. */
  guard(engine: EngineTarget, options: Call): Promise<MachineGuard>
  /** Clears what keeps overlay networks of the instance from being used after a restart of the engine; says which. */
  freeNetworks(engine: EngineTarget, options: Call): Promise<string[]>
  /** Services of the instance that hold rights which none should have: made by an earlier version of the platform. */
  overprivileged(engine: EngineTarget, options: Call): Promise<ServiceKey[]>
  /** Removes ended containers of a project: of one deployment, or of all but some. Says how many have not ended. */
  removeEnded(
    engine: EngineTarget,
    project: string,
    options: Write & { deployment?: string; except?: string[] },
  ): Promise<{ alive: number }>
  /** Removes containers that were made for seconds and outlived whoever made them; says how many. */
  removeStrays(engine: EngineTarget, options: Call & { before: Date }): Promise<number>
  /** Removes what carries this instance's labels and is not among the roots. */
  collectGarbage(
    engine: EngineTarget,
    roots: GarbageRoots,
    options: Call & { dryRun?: boolean },
  ): Promise<GarbageReport>
  /** Ends all connections. */
  close(): void
}
