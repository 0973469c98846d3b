import { DriverFailure } from '../../errors.ts'
import type { EngineTarget } from '../engine/engine.ts'
import type { RegistryLogin } from '../engine/registry-login.ts'

export interface Builder {
  /**
   * What the user's Dockerfile broke, a cancel and a deadline are results. Thrown is what stands in the way of building at
   * all: BuilderFailure, or EngineFailure and SshFailure from the way to the engine.
   */
  build(
    request: BuildRequest,
    emit: (event: BuildEvent) => void,
    signal: AbortSignal,
    room?: Room,
  ): Promise<BuildResult>
  /** Ends the builds of owners that died and removes their files; answers with the ids of the builds. */
  endLeftovers(): Promise<string[]>
  /** Ends what other processes of this machine still do for a build: whoever says this has taken it over from them. */
  endBuild(build: string): Promise<void>
}

/** Waits while there are more events than can be taken: what a build prints lies on a disk until then. */
export type Room = () => Promise<void>

export type BuildRequest = {
  engine: EngineTarget
  project: string
  /** The deployment's id. */
  build: string
  service: string
  /** An absolute directory named after the project, or after it and the service, as `syncContext` leaves it. */
  context: string
  /** A file of the source, or a text that never becomes part of it. */
  dockerfile: { inContext: string } | { text: string }
  /** The stage to build; the last one when not said. */
  target?: string
  /** Public: they stand in the image's history. */
  args: Record<string, string>
  /** Seen only by steps that mount them: `RUN --mount=type=secret,id=NAME`. */
  secrets: Record<string, string>
  tag: string
  /** What ADD may fetch: public names, which is what is meant where nothing is said, or nothing. */
  remote?: 'names' | 'none'
  /** Bases come from their registries, also where the engine has one of that name. */
  pull?: boolean
  /** What registries are signed in to with. */
  logins?: BuildLogins
  /** For all steps of the project that run at the same time, together. */
  limits: BuildLimits
  deadlineMs: number
  noCache?: boolean
}

/** `for` an image that the Dockerfile names; `ofHosts` for what only a base image names. */
export type BuildLogins = {
  for(image: string): RegistryLogin | null
  ofHosts(): RegistryLogin[]
  /** Asked of images with a digest: BuildKit takes those from its cache without asking anybody, whoever brought them. */
  mayHave(image: string): Promise<boolean>
}

export type BuildLimits = { memoryBytes: number; cpus: number; pids: number }

export type BuildStep = {
  id: string
  name: string
  state: 'started' | 'finished' | 'failed'
  cached: boolean
  /** Failed only because another step did, or because the build was ended. */
  cancelled: boolean
  startedAt: string | null
  finishedAt: string | null
  durationMs: number | null
}

export type BuildEvent =
  | ({ type: 'step' } & BuildStep)
  /** `name`: of the step, as its own events have it. */
  | { type: 'log'; step: string; name: string; stream: 'stdout' | 'stderr'; line: string; at: string }
  /** `total` is 0 where the engine does not know it. */
  | { type: 'progress'; step: string; what: string; current: number; total: number; done: boolean }

export type BuildResult =
  | { ok: true; imageId: string; digest?: string; steps: BuildStep[]; cacheHits: number; clipped: boolean }
  | { ok: false; failure: BuildFailure; steps: BuildStep[] }

export type BuildFailure = {
  message: string
  /** Where in the Dockerfile, named as in the request. */
  file?: string
  line?: number
  /** The id of the step that failed. */
  step?: string
  exitCode?: number
  cancelled: boolean
  timedOut: boolean
  /** The engine cut the log; what it left out is nowhere. */
  clipped: boolean
}

export type BuilderFailureCode =
  | 'request_invalid'
  | 'buildx_missing'
  | 'engine_timeout'
  | 'engine_lost'
  | 'engine_failed'
  | 'helper_image_missing'
  | 'limits_unavailable'

/** Nothing could be built, whatever the source says. What stops earlier, on the way to the engine, is its failure or an SshFailure. */
export type BuilderFailure = DriverFailure<'builder', BuilderFailureCode>

export const builderFailure = (code: BuilderFailureCode, message: string, cause?: unknown): BuilderFailure =>
  new DriverFailure('builder', code, message, { hint: hints[code], cause })

const hints: Record<BuilderFailureCode, string> = {
  request_invalid: 'Correct the value that the message names.',
  buildx_missing: 'Install docker-buildx on the machine that runs Slipway and check its configured path.',
  engine_timeout: 'Look at the engine on the server: systemctl status docker, journalctl -u docker.',
  engine_lost: 'Start the build again; if it happens repeatedly, look at the engine: journalctl -u docker.',
  engine_failed: "Look at the engine's log on the server: journalctl -u docker.",
  helper_image_missing: 'Check the server again: the check brings the images that Slipway itself needs.',
  limits_unavailable:
    'Run a Docker Engine as root, on a kernel with the memory, cpu and pids controllers (docker info shows warnings).',
}
