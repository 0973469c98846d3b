import { plan } from './plan.ts'
import type { Observed } from './planning/observed.ts'
import type { Fate, Fates, Operation } from './planning/operation.ts'
import type { Wanted } from './planning/wanted.ts'

/**
 * A "no" is an answer; what throws is nobody's answer: the owner is gone, or the engine cannot be asked. `again`: it was not
 * as it was looked at, so it is looked at again.
 */
export type Answer = { ok: true } | { ok: 'again' } | { ok: false; why: Error }

/** What engines and edges can be asked to do; each operation may be repeated. */
export type Machines = {
  observe(signal: AbortSignal): Promise<Observed>
  /** Calls `guard` between the last look and each write. Ends when the effect is there, or its time limit has passed. */
  act(operation: Operation, options: { guard: () => Promise<unknown>; signal: AbortSignal }): Promise<Answer>
}

export type Journal = {
  fates: Fates
  /** Fenced, like every write of an owner. */
  learn(service: string, fate: Fate, why: Error | null): Promise<void>
}

/** For what is done again from the start by whoever comes next. `whys`: why services are not as they should be. */
export function newJournal(): Journal & { whys: Map<string, Error> } {
  const whys = new Map<string, Error>()
  return {
    fates: {},
    whys,
    async learn(service, _, why) {
      if (why) whys.set(service, why)
    },
  }
}

export type ConvergeOptions = {
  journal: Journal
  /** Fencing check: rejects when another owner has taken over. */
  guard: () => Promise<unknown>
  signal: AbortSignal
  /** Ends when somebody has waited long enough: what is under way goes on in the engine. */
  enough?: AbortSignal
  onPlan?(operations: Operation[], observed: Observed, fates: Fates): void
  onOperation?(operation: Operation, state: 'begun' | 'done' | 'failed', why?: Error): void
}

/** `later`: time was up; a settle run goes on from what it observes. */
export type Result = { end: 'reached' | 'stuck' | 'later'; fates: Fates }

/** Services whose containers change at the same time on the way forward. Going back is not slowed down. */
const AT_ONCE = 4
/** What does not stay as it was made is somebody else's doing. */
const MOST_ATTEMPTS = 3

/**
 * Observes, plans, begins what may begin, and starts over whenever something has ended: there is no state but the
 * journal's fates, so whoever continues after a cut does the same from what it finds.
 */
export async function converge(machines: Machines, wanted: Wanted, options: ConvergeOptions): Promise<Result> {
  const { signal, enough } = options
  const running = new Map<string, Promise<void>>()
  const work = workOn(machines, options)
  for (;;) {
    const operations = work.isOver() ? [] : await work.look(wanted)
    const ready = operations.filter((one) => one.after.length === 0 && !running.has(laneOf(one)))
    const most = wanted.manner === 'back' ? Number.POSITIVE_INFINITY : AT_ONCE
    for (const one of ready.slice(0, most - running.size)) {
      const lane = laneOf(one)
      running.set(
        lane,
        work.begin(one, operations).finally(() => running.delete(lane)),
      )
    }
    if (running.size === 0) {
      work.rethrow()
      if (enough?.aborted && !signal.aborted) return { end: 'later', fates: work.fates }
      signal.throwIfAborted()
      if (operations.length > 0) throw new Error(`nothing can begin of: ${operations.map(({ id }) => id).join('; ')}`)
      const isStuck = Object.values(work.fates).some((fate) => fate !== 'came' && fate !== 'begun')
      return { end: isStuck ? 'stuck' : 'reached', fates: work.fates }
    }
    await Promise.race(running.values())
  }
}

/** One operation at a time for a service; those of a whole server are alone by their `after`. */
const laneOf = (one: Operation): string => ('service' in one ? `${one.server}/${one.service}` : one.id)

/** What one owner does and has learned. */
function workOn(machines: Machines, { journal, guard, enough, onPlan, onOperation, ...options }: ConvergeOptions) {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal, ...(enough ? [enough] : [])])
  const attempts = new Map<string, number>()
  const fates = { ...journal.fates }
  let thrown: { error: unknown } | undefined

  const fail = (error: unknown) => {
    if (enough?.aborted && !options.signal.aborted) return
    thrown ??= { error }
    stop.abort(error)
  }
  const learn = async (service: string, fate: Fate, why: Error | null) => {
    await journal.learn(service, fate, why)
    fates[service] = fate
  }
  const conclude = async (one: Operation, answer: Exclude<Answer, { ok: 'again' }>) => {
    onOperation?.(one, answer.ok ? 'done' : 'failed', answer.ok ? undefined : answer.why)
    if (!('service' in one)) {
      if (!answer.ok) throw answer.why
    } else if (!answer.ok) await learn(one.service, one.onFailure, answer.why)
    else if (one.kind === 'wait-healthy') await learn(one.service, one.onSuccess, null)
  }
  const perform = async (one: Operation): Promise<boolean> => {
    const tries = (attempts.get(one.id) ?? 0) + 1
    attempts.set(one.id, tries)
    onOperation?.(one, 'begun')
    if (one.kind === 'apply') fates[one.service] ??= 'begun'
    const tooOften: Answer = { ok: false, why: new Error(`${one.id}: it does not stay as it was made`) }
    const answer = tries > MOST_ATTEMPTS ? tooOften : await machines.act(one, { guard, signal })
    if (answer.ok !== 'again') await conclude(one, answer)
    return answer.ok === true
  }
  return {
    fates,
    isOver: () => thrown !== undefined || signal.aborted,
    rethrow() {
      if (thrown) throw thrown.error
    },
    async look(wanted: Wanted): Promise<Operation[]> {
      try {
        const observed = await machines.observe(signal)
        const operations = plan(observed, wanted, fates)
        onPlan?.(operations, observed, fates)
        return operations
      } catch (error) {
        fail(error)
        return []
      }
    },
    /** What was written is watched at once, and who waits for it waits for that. Never rejects. */
    async begin(one: Operation, operations: Operation[]): Promise<void> {
      const watch = operations.find(({ kind, after }) => kind === 'wait-healthy' && after.includes(one.id))
      try {
        if ((await perform(one)) && watch && 'service' in one) await perform(watch)
      } catch (error) {
        fail(error)
      }
    },
  }
}
