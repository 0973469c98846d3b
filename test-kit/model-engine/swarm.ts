import type { Answer, Machines } from '../../server/src/core/deployments/converge/converge.ts'
import type { Observed, ObservedService } from '../../server/src/core/deployments/converge/planning/observed.ts'
import type { Operation } from '../../server/src/core/deployments/converge/planning/operation.ts'
import { same } from '../../server/src/core/deployments/converge/planning/operation.ts'
import type { Route } from '../../server/src/core/deployments/routes/routes.ts'
import { Audit } from './audit.ts'
import { Engine } from './engine.ts'
import { ATTEMPTS, holds, isCurrent, isMoving, isOver, type ModelSpec, type Service, TICK_MS } from './shapes.ts'
import { untilSo, watched } from './watch.ts'

/** Thrown where a process is killed or its answer is lost. */
export class Cut extends Error {}

export type Chaos = {
  /** Called before and after every write; may throw a Cut, or hold the caller. */
  around?(when: 'before' | 'after', operation: Operation): Promise<void> | void
}

type Write = (work: () => void) => Promise<void>
type Options = Parameters<Machines['act']>[1]

/** A server as an executor sees it: a model of an engine and of an edge, where time passes whenever somebody waits. */
export class Swarm extends Engine implements Machines {
  routes: Record<string, Route[]> = {}
  networks: Record<string, string[]> = {}
  /** Names that were led to what was not up. */
  early: string[] = []
  chaos: Chaos = {}
  /** Whether a removal is marked on the service before it is made. */
  tombstones = true
  readonly audit = new Audit()
  readonly server: string
  readonly project: string

  constructor(server: string, project: string, random: () => number) {
    super(random)
    this.server = server
    this.project = project
  }

  /** Time passes, and others get their turn. */
  async pause(ticks = 1): Promise<void> {
    for (let n = 0; n < ticks; n++) {
      await null
      this.tick()
    }
  }

  override tick(): void {
    super.tick()
    this.audit.look(this, this.project, this.routes[this.project] ?? [])
  }

  find = (service: string, project = this.project): Service | undefined =>
    this.services.find((one) => one.project === project && one.spec.service === service)

  async observe(): Promise<Observed> {
    if (this.chance(0.5)) await this.pause()
    return this.look()
  }

  look(): Observed {
    const { routes, volumes, networks, project } = this
    const held = this.tasks
      .filter((task) => task.project === project && holds(task))
      .flatMap(({ spec }) => spec.holds.map((resource) => ({ resource, service: spec.service })))
    const services = this.services.filter((one) => one.project === project).map((one) => this.seen(one))
    const mine = { routes: routes[project] ?? [], volumes: volumes[project] ?? [], networks: networks[project] ?? [] }
    return { [this.server]: { services, held, ...mine } }
  }

  seen(service: Service): ObservedService {
    const { spec, update, restart, leaving } = service
    const tasks = this.tasks.filter((task) => task.of === service.id)
    const up = tasks.filter((task) => task.meant && task.healthy && isCurrent(task, service))
    const places = new Set(up.map(({ slot }) => slot)).size
    const since = Math.max(...up.map(({ upAt }) => upAt), 0)
    const complete = tasks.some(({ state }) => state === 'complete')
    const previous = isMoving(service) ? (service.previous?.spec.holds ?? []) : []
    const isBack = update?.startsWith('rollback_') && service.triedFrom
    return {
      ...{ service: spec.service, deployment: spec.deployment, specHash: spec.specHash, job: spec.job },
      ...{ wanted: spec.replicas, up: places, restart, leaving },
      old: tasks.filter((task) => task.meant && !isOver(task) && !isCurrent(task, service)).length,
      upForMs: places >= spec.replicas ? (this.time - since) * TICK_MS : 0,
      update: isMoving(service) ? 'moving' : update?.endsWith('paused') ? 'paused' : 'idle',
      wentBackFrom: isBack ? [isBack] : [],
      done: complete,
      over: complete || (service.deaths >= ATTEMPTS && tasks.every(isOver)),
      claims: [...new Set([...spec.holds, ...previous])],
    }
  }

  async act(one: Operation, { guard, signal }: Options): Promise<Answer> {
    const write: Write = async (work) => {
      await guard()
      signal.throwIfAborted()
      // A process that is stopped here has passed both checks.
      await this.chaos.around?.('before', one)
      work()
      await this.chaos.around?.('after', one)
    }
    if (this.chance(0.5)) await this.pause()
    if ('service' in one) return this.#onService(one, write, signal)
    if (one.kind === 'withdraw') return this.#withdraw(write, signal)
    await write(() => {
      if (one.kind === 'drop-volumes') delete this.volumes[this.project]
      else if (one.kind === 'ensure-networks')
        this.networks[this.project] = [...new Set([...(this.networks[this.project] ?? []), ...one.networks])]
      else this.#route(one.kind, one.routes)
    })
    return ok
  }

  #route(kind: string, routes: Route[]): void {
    this.routes[this.project] = routes
    const isUp = (name: string) =>
      this.tasks.some((task) => task.project === this.project && task.spec.service === name && task.healthy)
    for (const { service } of routes) if (!isUp(service)) this.early.push(`${kind} ${service}`)
  }

  #onService(one: Extract<Operation, { service: string }>, write: Write, signal: AbortSignal): Promise<Answer> {
    const now = () => this.look()[this.server]
    switch (one.kind) {
      case 'apply':
      case 'run-job':
        return this.#apply(one.spec as ModelSpec, one.kind === 'apply' && one.interrupt, write)
      case 'restart':
        return this.#restart(one.service, one.token, write)
      case 'wait-healthy':
        return watched(this, one, signal)
      case 'wait-idle':
        return untilSo(this, signal, () => now()?.services.find((s) => s.service === one.service)?.update !== 'moving')
      case 'wait-free':
        return untilSo(this, signal, () => {
          const isIt = ({ id }: { id: string }, { resource }: { resource: string }) => id === resource
          const held = now()?.held.filter(({ service }) => one.holders.includes(service)) ?? []
          return !held.some((h) => one.resources.some((r) => isIt(r, h)))
        })
      default:
        return this.#remove([one.service], write, signal)
    }
  }

  async #withdraw(write: Write, signal: AbortSignal): Promise<Answer> {
    const isMine = ({ project }: { project: string }) => project === this.project
    await this.#remove(
      this.services.filter(isMine).map(({ spec }) => spec.service),
      write,
      signal,
    )
    if (this.services.some(isMine)) return ok
    const answer = await untilSo(this, signal, () => !this.tasks.some((task) => isMine(task) && !isOver(task)))
    if (answer.ok) await write(() => delete this.networks[this.project])
    return answer
  }

  async #apply(spec: ModelSpec, interrupt: boolean, write: Write): Promise<Answer> {
    for (let attempt = 1; attempt <= 4; attempt++) {
      const now = this.find(spec.service)
      const { version } = now ?? {}
      if (now && same(now.spec, spec)) return ok
      if (now && now.spec.job !== spec.job) return no('what has its name has to be removed first')
      if (now && isMoving(now) && !interrupt) return { ok: 'again' }
      let done = false
      await write(() => {
        const found = this.find(spec.service)
        // Another was faster: the engine refuses an old version, and a name that is taken.
        if (found?.id !== now?.id || found?.version !== version) return
        this.put(spec)
        done = true
      })
      if (done) return ok
      await this.pause()
    }
    return no('others were always faster')
  }

  /** As an update does it, without asking anybody. */
  put(spec: ModelSpec, project = this.project): void {
    const now = this.find(spec.service, project)
    const stopFirst = spec.order === 'stop-first'
    if (!now) {
      const fresh = { generation: 0, restart: null, version: 1, previous: null, update: null, triedFrom: null }
      const rest = { onFailure: 'rollback', leaving: false, deaths: 0 } as const
      this.services.push({ id: this.nextId(), project, spec, stopFirst, ...fresh, ...rest })
      return
    }
    const { spec: old, generation, restart } = now
    const moving = isMoving(now)
    const serves = this.tasks.some((task) => task.of === now.id && task.meant && task.state === 'running')
    Object.assign(now, {
      ...{ spec, previous: { spec: old, generation, restart }, update: spec.job ? null : 'updating', deaths: 0 },
      ...{ onFailure: moving ? 'pause' : 'rollback', stopFirst: stopFirst || (!moving && !serves) },
      version: now.version + 1,
    })
    if (spec.job) for (const task of this.tasks) if (task.of === now.id) task.of = 0
  }

  async #restart(service: string, token: string, write: Write): Promise<Answer> {
    const now = this.find(service)
    if (!now) return no('it does not run')
    if (now.restart === token) return ok
    const { version } = now
    if (isMoving(now)) return { ok: 'again' }
    await write(() => {
      if (this.find(service)?.version !== version) return
      const { spec, generation, restart } = now
      Object.assign(now, {
        ...{ generation: generation + 1, restart: token, previous: { spec, generation, restart }, update: 'updating' },
        ...{ onFailure: 'rollback', stopFirst: spec.order === 'stop-first', deaths: 0, version: version + 1 },
      })
    })
    return ok
  }

  async #remove(names: string[], write: Write, signal: AbortSignal): Promise<Answer> {
    for (const name of names) {
      const now = this.find(name)
      if (!now) continue
      const { id, version } = now
      if (this.tombstones && !now.leaving) {
        let marked = false
        await write(() => {
          if (now.version !== version || !this.services.includes(now)) return
          Object.assign(now, { leaving: true, version: version + 1 })
          marked = true
        })
        // Another was faster: whoever plans looks again.
        if (!marked) return ok
      }
      await write(() => this.drop(id))
    }
    const isLeft = (of: number) => !this.services.some(({ id }) => id === of)
    const isMine = ({ project, spec }: { project: string; spec: ModelSpec }) =>
      project === this.project && names.includes(spec.service)
    return untilSo(this, signal, () => !this.tasks.some((task) => isMine(task) && !isOver(task) && isLeft(task.of)))
  }

  drop(id: number): void {
    this.services = this.services.filter((one) => one.id !== id)
    for (const task of this.tasks) if (task.of === id) task.meant = false
  }
}

const ok: Answer = { ok: true }
const no = (why: string): Answer => ({ ok: false, why: new Error(why) })
