import type Docker from 'dockerode'
import type { NetworkAnswer, ServiceAnswer, TaskAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { tasksOf } from '../find.ts'
import { having, LABEL } from '../labels.ts'
import { type Claims, claimsOfTask, claimsOnEngine } from '../rollout/claims.ts'
import { identityOf, isChanging, isLeaving, nameOf, sameIdentity } from '../rollout/identity.ts'
import { completionsOf, currentTasks, isJob, isUnfinished } from '../rollout/job.ts'
import { endedWell, isUp, stateOf } from '../watch/judge.ts'
import { specsOf } from './holders.ts'
import { type ObservedService, observedOf, servicesOf } from './observe.ts'

/** A service with all that deciding about it takes: no look at its containers has to follow. */
type SeenService = ObservedService & {
  /** Replicas of its spec that are there; with a check, that have passed it. */
  up: number
  /** Tasks of another spec that are still meant to run. */
  old: number
  /** For how long all of its replicas have been up, by the engine's clock; 0 while one is missing. */
  upForMs: number
  /** `moving`: the engine is rolling it forward or back. */
  update: 'idle' | 'moving' | 'paused'
  /** What the engine tried, and went back from by itself. */
  wentBackFrom: { deployment: string; specHash: string }[]
  /** Of a job: it has done its work. */
  done: boolean
  /** Of a job: none of its tasks can come to anything any more. */
  over: boolean
  /** What its tasks have or may take at any moment, also those of the spec that an unfinished update replaces. */
  claims: Claims[]
  /** The last restart that was asked for. */
  restart: string | null
  /** Somebody has begun to remove it. */
  leaving: boolean
}

/** What a project has on an engine at one moment. */
export type Snapshot = {
  services: SeenService[]
  /** By tasks that have not ended; their service may be gone already. */
  held: { service: string; claims: Claims }[]
  /** Names of its networks. */
  networks: string[]
}

export async function takeSnapshot(
  docker: Docker,
  { instance, project }: { instance: string; project: string },
  signal: AbortSignal,
): Promise<Snapshot> {
  const labels = { [LABEL.instance]: instance, [LABEL.project]: project }
  const [networks, now] = await Promise.all([
    callEngine<NetworkAnswer[]>(docker, { path: '/networks', query: { filters: having(labels) } }, signal),
    clockOf(docker, signal),
  ])
  // Tasks last: one that is there when its service is looked at is then not missed.
  const services = await servicesOf(docker, labels, signal)
  const tasks = (await tasksOf(docker, labels, signal)).filter((task) => nameIn(task) !== undefined)
  return {
    // The project's gateway is no service of its own.
    services: services
      .filter(({ Spec }) => Spec.Labels?.[LABEL.service] !== undefined)
      .map((service) =>
        seen(
          service,
          tasks.filter(({ ServiceID }) => ServiceID === service.ID),
          now,
        ),
      ),
    held: tasks.filter(isUnfinished).map((task) => ({ service: nameIn(task) ?? '', claims: claimsOfTask(task) })),
    networks: networks.map(({ Name }) => Name),
  }
}

const nameIn = ({ Spec }: TaskAnswer): string | undefined => Spec.ContainerSpec?.Labels?.[LABEL.service]

/** Ours may differ from it by hours. */
async function clockOf(docker: Docker, signal: AbortSignal): Promise<number> {
  const { SystemTime = '' } = await callEngine<{ SystemTime?: string }>(docker, { path: '/info' }, signal)
  return Date.parse(SystemTime)
}

function seen(service: ServiceAnswer, all: TaskAnswer[], now: number): SeenService {
  const { Spec, UpdateStatus } = service
  const tasks = currentTasks(service, all)
  const ended = new Set(tasks.filter(endedWell).map(({ ID }) => ID))
  const { running: up, wanted, old } = stateOf(service, tasks, ended)
  const { done, wanted: completions } = completionsOf(service, tasks)
  const job = isJob(Spec)
  const isDone = job && done >= completions
  const isAtWork = tasks.length === 0 || tasks.some(isUnfinished)
  const paused = UpdateStatus?.State === 'paused' || UpdateStatus?.State === 'rollback_paused'
  return {
    ...observedOf(service),
    up,
    old,
    upForMs: !job && up >= wanted && wanted > 0 ? Math.max(0, now - lastRise(service, tasks, ended)) : 0,
    update: paused ? 'paused' : isChanging(service, all) ? 'moving' : 'idle',
    wentBackFrom: UpdateStatus?.State?.startsWith('rollback_') ? othersOf(service, all) : [],
    done: isDone,
    over: isDone || (job && !isAtWork),
    claims: job && !isAtWork ? [] : specsOf(service).map(claimsOnEngine),
    restart: Spec.Labels?.[LABEL.restart] ?? null,
    leaving: isLeaving(service),
  }
}

/** When the last of the tasks that are up came up. The engine writes a task's time with its state. */
function lastRise({ Spec }: ServiceAnswer, tasks: TaskAnswer[], ended: ReadonlySet<string>): number {
  const wanted = identityOf(Spec.TaskTemplate)
  const mine = tasks.filter((task) => sameIdentity(identityOf(task.Spec), wanted))
  const times = mine.filter((task) => isUp(task) || ended.has(task.ID)).map(({ Status }) => Status.Timestamp ?? '')
  return Math.max(...times.map((time) => Date.parse(time) || 0))
}

/** As the engine remembers its tasks: specs that it had before, or tried. */
function othersOf({ Spec }: ServiceAnswer, tasks: TaskAnswer[]): SeenService['wentBackFrom'] {
  const names = tasks.flatMap(({ Spec: TaskTemplate }) => nameOf({ ...Spec, TaskTemplate }) ?? [])
  const now = nameOf(Spec)
  const others = names.filter((one) => one.deployment !== now?.deployment || one.specHash !== now.specHash)
  return [...new Map(others.map((one) => [`${one.deployment} ${one.specHash}`, one])).values()]
}
