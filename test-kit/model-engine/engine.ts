import { ATTEMPTS, behaviourOf, holds, isCurrent, isMoving, isOver, type Service, type Task, WINDOW } from './shapes.ts'

/** What an engine in Swarm mode does by itself, tick by tick: one node, services, slots and tasks. */
export class Engine {
  time = 0
  services: Service[] = []
  tasks: Task[] = []
  volumes: Record<string, string[]> = {}
  starts: string[] = []
  /** Services whose next containers will not come up, though their image is the same. */
  sour = new Set<string>()
  readonly #random: () => number
  #ids = 0

  constructor(random: () => number) {
    this.#random = random
  }

  chance = (of: number): boolean => this.#random() < of
  nextId = (): number => ++this.#ids

  tick(): void {
    this.time++
    for (const task of this.tasks) this.#live(task)
    for (const service of this.services) service.spec.job ? this.#job(service) : this.#keep(service)
    this.tasks = this.tasks.filter((task) => task.state !== 'ended' || this.time - task.at < 30)
  }

  #become(task: Task, state: Task['state']): void {
    Object.assign(task, { state, at: this.time })
  }

  #live(task: Task): void {
    if (isOver(task)) return
    const age = this.time - task.at
    if (!task.meant && task.state !== 'stopping') {
      Object.assign(task, { told: true, healthy: false })
      this.#become(task, task.state === 'pending' ? 'ended' : 'stopping')
    } else if (task.state === 'stopping') {
      if (this.chance(0.2) || age > 10) this.#become(task, 'ended')
    } else if (task.state === 'pending') {
      const ports = task.spec.holds.filter((one) => one.startsWith('port'))
      const taken = this.tasks.some((other) => holds(other) && other.spec.holds.some((one) => ports.includes(one)))
      if (!taken && this.chance(0.7)) this.#become(task, 'starting')
    } else if (task.state === 'starting') {
      if (!this.chance(0.7)) return
      this.#become(task, 'running')
      task.upAt = this.time
      this.starts.push(`${task.spec.service} ${task.spec.deployment}`)
    } else this.#run(task, age)
  }

  #run(task: Task, age: number): void {
    const behaviour = task.sour ? 'crash' : behaviourOf(task.spec)
    if (task.spec.job) {
      if (age <= 2 || !this.chance(0.5)) return
      this.#become(task, behaviour === 'good' ? 'complete' : 'ended')
      if (behaviour !== 'good') this.#died(task)
    } else if (behaviour === 'crash' ? age > 1 : behaviour === 'sick' ? age > 6 : behaviour === 'late' && age > 25) {
      this.#become(task, 'ended')
      task.healthy = false
      this.#died(task)
    } else if ((behaviour === 'good' || behaviour === 'late') && !task.healthy && this.chance(0.6)) task.healthy = true
  }

  #died(task: Task): void {
    const service = this.services.find(({ id }) => id === task.of)
    if (!service || !isCurrent(task, service)) return
    service.deaths++
    if (service.update === 'updating') {
      if (service.onFailure === 'rollback' && service.previous) {
        service.triedFrom = { deployment: service.spec.deployment, specHash: service.spec.specHash }
        Object.assign(service, service.previous, { previous: null, update: 'rollback_started', deaths: 0 })
        service.stopFirst = service.spec.order === 'stop-first'
        service.version++
      } else service.update = 'paused'
    } else if (service.update === 'rollback_started') service.update = 'rollback_paused'
  }

  #job(service: Service): void {
    const mine = this.tasks.filter((task) => task.of === service.id)
    if (mine.some((task) => !isOver(task) || task.state === 'complete') || service.deaths >= ATTEMPTS) return
    this.#start(service, 1)
  }

  #keep(service: Service): void {
    const moving = isMoving(service)
    let busy = false
    for (let slot = 1; slot <= service.spec.replicas; slot++) {
      const here = this.tasks.filter((task) => task.of === service.id && task.slot === slot && !isOver(task))
      const [, ...twice] = here.filter((task) => task.meant && isCurrent(task, service))
      for (const task of twice) task.meant = false
      if (moving) {
        // One place after the other; on its way back all at once.
        if (!busy || service.update !== 'updating') busy = this.#replace(service, slot, here) || busy
      } else if (here.length === 0 && this.chance(0.5)) this.#start(service, slot)
    }
    for (const task of this.tasks) if (task.of === service.id && task.slot > service.spec.replicas) task.meant = false
    if (moving && !busy) service.update = service.update === 'updating' ? 'completed' : 'rollback_completed'
  }

  /** Whether that place is not done yet. */
  #replace(service: Service, slot: number, here: Task[]): boolean {
    const first = here.find((task) => task.meant && isCurrent(task, service))
    const old = here.filter((task) => task.meant && !isCurrent(task, service))
    if (!first) {
      if (service.stopFirst) for (const task of old) task.meant = false
      if (!service.stopFirst || here.length === 0) this.#start(service, slot)
      return true
    }
    if (first.healthy || service.stopFirst) for (const task of old) task.meant = false
    return !first.healthy || old.length > 0 || this.time - first.upAt < WINDOW / 2
  }

  #start(service: Service, slot: number): void {
    const { id: of, project, spec, generation } = service
    const sour = this.sour.has(spec.service)
    const fresh = {
      state: 'pending',
      meant: true,
      healthy: false,
      at: this.time,
      upAt: this.time,
      told: false,
    } as const
    this.tasks.push({ id: this.nextId(), of, project, spec, generation, slot, sour, ...fresh })
    const made = spec.holds.filter((name) => name.startsWith('volume'))
    this.volumes[project] = [...new Set([...(this.volumes[project] ?? []), ...made])]
  }
}
