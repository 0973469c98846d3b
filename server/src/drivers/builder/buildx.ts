import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { askSocket } from '../engine/ask-socket.ts'
import { type LocalSocket, openLocalSocket } from '../engine/local-socket.ts'
import type { RegistryLogin } from '../engine/registry-login.ts'
import {
  type BuildEvent,
  type Builder,
  type BuildRequest,
  type BuildResult,
  builderFailure,
  type Room,
} from './builder.ts'
import { buildxCall } from './call.ts'
import { runClient } from './client.ts'
import { loginFolder, stateFolder } from './config-folder.ts'
import { chooseLogins, findWithheld } from './dockerfile/choose-logins.ts'
import { judge } from './dockerfile/images.ts'
import { sourcePolicy } from './dockerfile/source-policy.ts'
import { type Dockerfile, takeDockerfile } from './dockerfile/take.ts'
import { endSteps } from './end-steps.ts'
import { explain } from './explain.ts'
import { endBuild, endLeftovers, markOf, openWorkFolder } from './leftovers.ts'
import { bindLimits } from './limits/bind.ts'
import { readProgress } from './progress/read.ts'
import { trackSteps } from './progress/steps.ts'
import { engineWasLost, explainFailure } from './progress/verdict.ts'
import { checkRequest, requireBuildx } from './request.ts'

type BuildxOptions = {
  /** The program docker-buildx. */
  buildx: string
  /** A directory of ours that outlives the process; at most 60 bytes long, for a unix socket lies below it. */
  scratch: string
  /** Tells this installation's builds from those of another one on the same machine. */
  instance: string
  /** An image with awk that is on every engine; a short-lived container of it sets the limits. */
  helperImage: string
}

const PING_MS = 5000

/** `signal` is the caller's; `either` is aborted by it or by the deadline. */
type Watch = {
  emit: (event: BuildEvent) => void
  signal: AbortSignal
  either: AbortSignal
  room: Room | undefined
  /** No other build of the project goes on in this process, hence anywhere: one process at a time has the project. */
  alone: boolean
  /** A step may be running. */
  began: boolean
}

/** The real builder: BuildKit inside the Docker Engine, through docker-buildx. */
export function buildxBuilder(options: BuildxOptions): Builder {
  const { scratch, instance } = options
  if (Buffer.byteLength(scratch) > 60) throw new Error(`the scratch directory ${scratch} is longer than 60 bytes`)
  if (!/^[\w.-]+$/.test(instance)) throw new Error(`an instance cannot be called ${instance}`)
  const going: string[] = []
  return {
    async build(request, emit, signal, room) {
      checkRequest(request)
      await requireBuildx(options.buildx)
      const either = AbortSignal.any([signal, AbortSignal.timeout(request.deadlineMs)])
      const alone = !going.includes(request.project)
      const watch: Watch = { emit, signal, either, room, alone, began: false }
      const folder = await openWorkFolder(scratch)
      going.push(request.project)
      try {
        return await buildIn(folder, options, request, watch)
      } catch (error) {
        if (!either.aborted && watch.began && alone) await endSteps(options, request, either)
        if (either.aborted) return stopped(request, watch)
        throw error
      } finally {
        going.splice(going.indexOf(request.project), 1)
        await rm(folder, { recursive: true, force: true })
      }
    },
    endLeftovers: () => endLeftovers(options),
    endBuild: (build) => endBuild(options.instance, build),
  }
}

async function buildIn(folder: string, options: BuildxOptions, request: BuildRequest, watch: Watch) {
  const dockerfile = await takeDockerfile(request, folder)
  if ('missing' in dockerfile) return refused(`There is no file ${dockerfile.missing} in the source.`)
  if ('message' in dockerfile) return refused(dockerfile.message, { file: dockerfile.shown, line: dockerfile.line })
  const judged = judge(dockerfile.text, request.args, request.remote ?? 'names')
  if ('objection' in judged) {
    const { message, line } = judged.objection
    return refused(message, { file: dockerfile.shown, line })
  }
  const chosen = chooseLogins(judged.images, request.logins)
  if ('message' in chosen) return refused(chosen.message, { file: dockerfile.shown })
  const withheld = await findWithheld(judged.images, request.logins)
  if (withheld) return refused(withheld.message, { file: dockerfile.shown })
  const policy = join(folder, 'policy.json')
  await writeFile(policy, JSON.stringify(sourcePolicy(judged.addresses)), { flag: 'wx', mode: 0o600 })
  const engine = await openLocalSocket(request.engine, folder, watch.either)
  try {
    const { socketPath } = engine
    const { project, limits } = request
    const { helperImage, instance } = options
    const { alone, either } = watch
    const wanted = { instance, project, limits, helperImage, endSteps: alone, signal: either }
    const cgroup = await bindLimits(socketPath, wanted)
    watch.began = true
    return await run({ folder, options, request, dockerfile, policy, logins: chosen, engine, cgroup }, watch)
  } catch (error) {
    throw watch.either.aborted ? error : await explain(engine, error)
  } finally {
    engine.close()
  }
}

type Prepared = {
  folder: string
  options: BuildxOptions
  request: BuildRequest
  dockerfile: Dockerfile
  policy: string
  logins: RegistryLogin[]
  engine: LocalSocket
  cgroup: string
}

async function run(prepared: Prepared, watch: Watch): Promise<BuildResult> {
  const { folder, options, request, dockerfile, policy, logins, engine, cgroup } = prepared
  const metadata = join(folder, 'metadata.json')
  const call = buildxCall(request, {
    buildx: options.buildx,
    config: await loginFolder(folder, logins),
    state: await stateFolder(options.scratch),
    socketPath: engine.socketPath,
    dockerfile: dockerfile.path,
    policy,
    metadata,
    cgroup,
    mark: markOf(options.instance, request),
    labels: { 'slipway.instance': options.instance, 'slipway.project': request.project },
  })
  const tracker = trackSteps(watch.emit, dockerfile.rename)
  const text: string[] = []
  const reader = readProgress({ document: tracker.take, text: (line) => text.push(dockerfile.rename(line)) })
  const end = await runClient(call, {
    transcript: join(folder, 'progress'),
    async take(chunk) {
      reader.push(chunk)
      await watch.room?.()
    },
    signal: watch.either,
  })
  reader.end()
  tracker.end()
  const steps = tracker.steps()
  const clipped = tracker.clipped()
  if (end.code === 0) {
    const cacheHits = steps.filter((step) => step.cached).length
    return { ok: true, ...(await builtImage(metadata)), steps, cacheHits, clipped }
  }
  if (watch.either.aborted) return stopped(request, watch, steps, clipped)
  if (end.printedTooMuch)
    return refused('The build printed more than a gigabyte and was ended.', { clipped: true }, steps)
  await throwIfLost(engine, engineWasLost(tracker, text), text)
  return { ok: false, failure: explainFailure(tracker, text, dockerfile.shown), steps }
}

/** With the engine's classic image store the id is the digest of the configuration; with containerd's, of the manifest. */
async function builtImage(metadata: string): Promise<{ imageId: string; digest?: string }> {
  const said = JSON.parse(await readFile(metadata, 'utf8')) as Record<string, string>
  const digest = said['containerimage.digest']
  if (digest === undefined) throw builderFailure('engine_failed', 'The engine did not say which image it built.')
  return { imageId: digest, ...(digest !== said['containerimage.config.digest'] && { digest }) }
}

/** An engine that stops takes its steps along, and their errors look like the source's fault. */
async function throwIfLost({ socketPath }: LocalSocket, saidSo: boolean, text: string[]): Promise<void> {
  await askSocket(socketPath, { path: '/_ping', signal: AbortSignal.timeout(PING_MS) })
  if (saidSo) throw builderFailure('engine_lost', `The Docker Engine ended the build: ${text.at(-1) ?? ''}`)
}

function stopped(request: BuildRequest, { signal }: Watch, steps: BuildResult['steps'] = [], clipped = false) {
  const cancelled = signal.aborted
  const message = cancelled
    ? 'The build was cancelled.'
    : `The build took longer than ${Math.round(request.deadlineMs / 1000)} s and was ended.`
  const failure = { message, cancelled, timedOut: !cancelled, clipped }
  return { ok: false as const, failure, steps }
}

type Place = { file?: string; line?: number; clipped?: boolean }

function refused(message: string, place: Place = {}, steps: BuildResult['steps'] = []) {
  const failure = { message, cancelled: false, timedOut: false, clipped: false, ...place }
  return { ok: false as const, failure, steps }
}
