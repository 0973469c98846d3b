import type Docker from 'dockerode'
import type { ServiceAnswer, SwarmSpec, TaskAnswer } from '../../engine/answers.ts'
import { apiOf, statusOf, wordsOf } from '../../engine/ask.ts'
import type { EnginePolicy } from '../../engine/policy.ts'
import type { RegistryLogin } from '../../engine/registry-login.ts'
import { type RuntimeFailure, runtimeFailure } from '../failure.ts'
import { ensureFiles } from '../files.ts'
import { findService, serviceTasks } from '../find.ts'
import type { Guard } from '../guard.ts'
import { machineBytes } from '../machine/machine.ts'
import { ownNetworks } from '../networks.ts'
import { acceptSpec } from '../render/accept.ts'
import { refuseTaken } from '../render/accept-ports.ts'
import { healthConfig } from '../render/health.ts'
import { imagePrograms } from '../render/image-programs.ts'
import { type Rendering, renderService } from '../render/render.ts'
import { acceptExisting, requireThere } from '../volumes.ts'
import { isOurs, isUp } from '../watch/judge.ts'
import { atFirst, replicasOf } from './grow.ts'
import { identityOf, isChanging, isLeaving, nameOf } from './identity.ts'
import { imageReference } from './image-reference.ts'
import { isJob } from './job.ts'
import { type ServiceSpec, specHash } from './spec.ts'
import { type Leaving, leavingBefore, StillLeaving } from './wait-free.ts'
import { createService, isOutrun, updateService } from './write.ts'

export type Applied = {
  /** `undone`: it was there already, and the engine has gone back from it by itself. */
  did: 'created' | 'updated' | 'unchanged' | 'undone'
  /** The service's name on the engine; other services of its networks reach it by this name too. */
  name: string
  specHash: string
  /** What was there before; also when a repeated call finds its own work done. */
  previous: { deployment: string; specHash: string } | null
}

export type ApplyOptions = {
  instance: string
  policy: EnginePolicy
  /** Ports of the machine that no service gets. */
  reservedPorts: readonly number[]
  /** Write even while a rollout is running: for going back to a spec that is known to be good. */
  interrupt: boolean
  /** What the image is fetched with, also by a node that starts it later; null: with nothing. */
  login: RegistryLogin | null
  guard?: Guard | undefined
  /** Told while it waits for containers that are being stopped. */
  onWait?: ((leaving: Leaving) => void) | undefined
}

const MOST_ATTEMPTS = 4

/**
 * Brings a service to a spec: creates it, updates it, or finds it so. Only one update runs at a time, because an update
 * over a bad one makes the bad spec the one that the engine goes back to.
 */
export async function applySpec(
  docker: Docker,
  spec: ServiceSpec,
  options: ApplyOptions,
  signal: AbortSignal,
): Promise<Applied> {
  const { instance, interrupt, guard, policy, reservedPorts, login } = options
  const api = apiOf(docker)
  acceptSpec(spec, { api, policy, reserved: reservedPorts })
  const bounds = { machineBytes: await machineBytes(docker, signal), ceilings: policy.ceilings }
  for (let attempt = 1; ; attempt++) {
    const current = await findService(docker, { instance, project: spec.project, service: spec.service }, signal)
    const applied = nameOf(current?.Spec)
    if (current && isLeaving(current)) throw new ServiceMustBeReplaced(applied)
    if (current && applied?.deployment === spec.deployment && applied.specHash === specHash(spec)) {
      return answer('unchanged', current.Spec, beforeOf(current))
    }
    try {
      const tasks = current ? await serviceTasks(docker, current, signal) : []
      if (current && !interrupt && wentBack(current, tasks, spec)) {
        return { did: 'undone', name: current.Spec.Name, specHash: specHash(spec), previous: applied }
      }
      const over = current ? situation(current, tasks) : 'running'
      if (over === 'rollout' && !interrupt) throw updateRunning(spec, applied?.deployment)
      if (current && isInTheWay(current, spec)) throw new ServiceMustBeReplaced(applied)
      const leaving = await leavingBefore(docker, spec, { instance, current }, signal)
      if (leaving.length > 0) throw new StillLeaving(leaving)
      await refuseTaken(docker, spec, instance, signal)
      const of = (all: { name: string }[]) => ({ instance, project: spec.project, names: all.map(({ name }) => name) })
      await acceptExisting(docker, of(spec.volumes.filter(({ inPlace }) => !inPlace)), signal)
      await requireThere(
        docker,
        spec.volumes.filter(({ inPlace }) => inPlace),
        signal,
      )
      const networks = await ownNetworks(docker, of(spec.networks), signal)
      const health = await healthOf(docker, spec, instance, signal)
      // They are written too.
      if (spec.files?.length) await guard?.()
      const files = await ensureFiles(docker, spec, instance, signal)
      const forceUpdate = current?.Spec.TaskTemplate.ForceUpdate ?? 0
      // Going back is not slowed down.
      const first = interrupt
        ? spec.replicas
        : atFirst(spec.replicas, current && tasks.some(isUp) ? replicasOf(current) : 0)
      const image = await imageReference(docker, spec, tasks, signal)
      const around = { instance, api, bounds, networks, health, files, image, forceUpdate, first, over }
      const rendered = renderService(spec, around)
      await guard?.()
      signal.throwIfAborted()
      if (current) await updateService(docker, current, rendered, login)
      else await createService(docker, rendered, login)
      return answer(current ? 'updated' : 'created', rendered, applied)
    } catch (error) {
      // Somebody else was faster: look again, and decide anew.
      if (!isOutrun(error) || attempt >= MOST_ATTEMPTS) throw refused(error, spec)
    }
  }
}

/** A service that has grown was its own self before, with fewer replicas. */
function beforeOf({ Spec, PreviousSpec }: ServiceAnswer): Applied['previous'] {
  const [now, before] = [nameOf(Spec), nameOf(PreviousSpec)]
  return before?.specHash === now?.specHash && before?.deployment === now?.deployment ? null : before
}

/** What has the service's name has to go before it can be made; `previous` is what the caller hears of it then. */
export class ServiceMustBeReplaced extends Error {
  readonly previous: Applied['previous']

  constructor(previous: Applied['previous']) {
    super('What has the name of the service has to be removed first.')
    this.previous = previous
  }
}

/**
 * The engine makes no job of a service. A job is always made anew: one that still runs would run beside the next, and of
 * one that was updated nobody could say which of both a late removal is about.
 */
const isInTheWay = ({ Spec }: ServiceAnswer, { job = false }: ServiceSpec): boolean => isJob(Spec) || job

/** A job is done when it has ended; nobody looks at it before. */
async function healthOf(
  docker: Docker,
  { job, healthcheck, image }: ServiceSpec,
  instance: string,
  signal: AbortSignal,
) {
  if (job) return { Test: ['NONE'] }
  return healthConfig(healthcheck, await imagePrograms(docker, { image, instance }, signal))
}

/** Tried before, by a caller who is gone: trying again would be a second rollout of what is known to fail. */
function wentBack({ UpdateStatus }: ServiceAnswer, tasks: TaskAnswer[], spec: ServiceSpec): boolean {
  if (!UpdateStatus?.State?.startsWith('rollback_')) return false
  const wanted = { deployment: spec.deployment, specHash: specHash(spec) }
  return tasks.some((task) => isOurs(wanted, identityOf(task.Spec)))
}

function situation(current: ServiceAnswer, tasks: TaskAnswer[]): Rendering['over'] {
  if (isChanging(current, tasks)) return 'rollout'
  return tasks.some(isUp) ? 'running' : 'nothing'
}

export function updateRunning({ service }: { service: string }, deployment?: string | null): RuntimeFailure {
  const message = `${service} is being changed by the deployment ${deployment}; one rollout runs at a time.`
  return runtimeFailure('update_running', message)
}

function answer(did: Applied['did'], spec: SwarmSpec, previous: Applied['previous']): Applied {
  return { did, name: spec.Name, specHash: nameOf(spec)?.specHash ?? '', previous }
}

/** The engine's "no" to a spec is about the spec, also where it says so with a 500. */
function refused(error: unknown, { service }: ServiceSpec): unknown {
  const words = wordsOf(error).replace(/^rpc error: code = \w+ desc = /, '')
  const isAboutSpec = statusOf(error) === 500 && /^network \S+ not found|message is too large/.test(words)
  if (statusOf(error) !== 400 && statusOf(error) !== 404 && !isAboutSpec) return error
  return runtimeFailure('spec_refused', `The engine refuses ${service}: ${words}.`, error)
}
