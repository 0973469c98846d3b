import type { Answer } from '../../server/src/core/deployments/converge/converge.ts'
import type { ObservedService } from '../../server/src/core/deployments/converge/planning/observed.ts'
import { type ServiceOperation, same } from '../../server/src/core/deployments/converge/planning/operation.ts'
import type { Engine } from './engine.ts'
import { MONITOR_MS, type Service, WINDOW } from './shapes.ts'

const LIMIT = 400
const PENDING = 48

type Wait = Extract<ServiceOperation, { kind: 'wait-healthy' }>
/** What of a server is looked at, and how time passes there. */
type Watched = Engine & {
  find(service: string): Service | undefined
  seen(service: Service): ObservedService
  pause(): Promise<void>
}
type Counts = { missing: number; stable: number; pending: number }

/** Waits on the model's clock. */
export async function untilSo(swarm: Watched, signal: AbortSignal, done: () => boolean): Promise<Answer> {
  for (const end = swarm.time + LIMIT; swarm.time < end; await swarm.pause()) {
    signal.throwIfAborted()
    if (done()) return ok
  }
  return no('time is up')
}

/** How a rollout ended, by looks at the model as the runtime's own watch has them at an engine. */
export async function watched(swarm: Watched, wait: Wait, signal: AbortSignal): Promise<Answer> {
  const counts: Counts = { missing: 0, stable: 0, pending: 0 }
  for (const end = swarm.time + LIMIT; swarm.time < end; await swarm.pause()) {
    signal.throwIfAborted()
    const answer = judge(swarm, wait, counts)
    if (answer) return answer
  }
  return no('time is up')
}

function judge(swarm: Watched, { service: name, spec, until, token }: Wait, counts: Counts): Answer | undefined {
  const service = swarm.find(name)
  if (!service) {
    counts.missing++
    return counts.missing > 1 ? no('it was removed') : undefined
  }
  const seen = swarm.seen(service)
  if (!same(seen, spec) || (token !== undefined && seen.restart !== token)) {
    if (service.update === 'rollback_started') return undefined
    return no(service.update?.startsWith('rollback_') ? 'the engine went back' : 'another took its place')
  }
  if (spec.job) return seen.done ? ok : seen.over ? no('it ended with an error') : undefined
  const complete = seen.up >= seen.wanted && seen.old === 0
  if (until === 'serving' && complete) return ok
  if (seen.update === 'paused') return no('the engine paused')
  const settled = seen.update === 'idle'
  const most = service.update === null ? 3 : 1
  if (settled && !complete && service.deaths >= most) return no('it dies again and again')
  const waits = swarm.tasks.some((task) => task.of === service.id && task.meant && task.state === 'pending')
  counts.pending = waits ? counts.pending + 1 : 0
  if (counts.pending > PENDING) return no('no machine can take it')
  counts.stable = complete ? counts.stable + 1 : 0
  return settled && complete && counts.stable >= WINDOW && seen.upForMs >= MONITOR_MS ? ok : undefined
}

const ok: Answer = { ok: true }
const no = (why: string): Answer => ({ ok: false, why: new Error(why) })
