import type { EngineTarget } from './engine.ts'
import type { GarbageReport, GarbageRoots } from './garbage.ts'
import type { ImageFacts } from './images.ts'
import type { ServiceKey } from './labels.ts'
import type { Applied } from './rollout/apply.ts'
import type { Outcome, WatchOptions } from './rollout/outcome.ts'
import type { Restarted } from './rollout/restart.ts'
import type { ServiceSpec } from './rollout/spec.ts'
import type { LogLine } from './running/log-lines.ts'
import type { LogOptions } from './running/logs.ts'
import type { ObservedService } from './running/observe.ts'
import type { RunningTask } from './running/tasks.ts'
import type { TaskUsage } from './running/usage.ts'

type Call = { signal: AbortSignal }

/**
 * What runs on an engine. Each operation may be repeated, has a deadline, ends with its signal's reason, and is the same
 * over the local socket and over SSH. Failures: EngineFailure, SshFailure (no way to the engine), RuntimeFailure (a "no").
 */
export interface Runtime {
  /** Creates or updates. Restoring is applying an older spec, with `interrupt` if a rollout may still be running. */
  apply(engine: EngineTarget, spec: ServiceSpec, options: Call & { interrupt?: boolean }): Promise<Applied>
  /** How the rollout of a deployment ended; any number may watch, from any moment on. */
  watch(engine: EngineTarget, service: ServiceKey, options: WatchOptions): Promise<Outcome>
  /** New tasks of the same spec without a gap; the same token again finds it done. */
  restart(
    engine: EngineTarget,
    service: ServiceKey,
    options: Call & { token: string; deployment?: string },
  ): Promise<Restarted>
  /** Also waits until its containers are gone, unless told not to. */
  remove(engine: EngineTarget, service: ServiceKey, options: Call & { wait?: boolean }): Promise<{ removed: boolean }>
  observe(engine: EngineTarget, project: string, options: Call): Promise<ObservedService[]>
  tasks(engine: EngineTarget, project: string, options: Call): Promise<RunningTask[]>
  usage(engine: EngineTarget, project: string, options: Call): Promise<TaskUsage[]>
  /** Ends with the log, or with the signal when it follows. Reads no faster than it is read. */
  logs(engine: EngineTarget, service: ServiceKey, options: LogOptions): AsyncIterable<LogLine>
  ensureNetwork(engine: EngineTarget, name: string, options: Call & { org: string; project?: string }): Promise<void>
  /** Whether it was there. One that is in use is a failure. */
  removeNetwork(engine: EngineTarget, name: string, options: Call): Promise<boolean>
  images: {
    exists(engine: EngineTarget, image: string, options: Call): Promise<boolean>
    inspect(engine: EngineTarget, image: string, options: Call): Promise<ImageFacts | null>
    /** Whether it was there. One that a container uses is a failure. */
    remove(engine: EngineTarget, image: string, options: Call): Promise<boolean>
  }
  /** Removes what carries this instance's labels and is not among the roots. */
  collectGarbage(
    engine: EngineTarget,
    roots: GarbageRoots,
    options: Call & { dryRun?: boolean },
  ): Promise<GarbageReport>
  /** Ends all connections. */
  close(): void
}
