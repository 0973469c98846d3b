import type { Route } from '../../server/src/core/deployments/routes/routes.ts'
import type { Engine } from './engine.ts'
import { holds, isOver, type ModelSpec, type Task } from './shapes.ts'

export type Gap = {
  service: string
  kind: 'none healthy' | 'wrong port'
  /** What answered there until then. */
  before: ModelSpec | undefined
  old: ModelSpec | undefined
  now: ModelSpec | undefined
}

/** Looks at every tick for what must never be: two writers, and names that lead to nothing. */
export class Audit {
  twoWriters: string[] = []
  gaps: Gap[] = []
  /** No look at availability: somebody else broke it. */
  forgiving = false
  readonly #served = new Map<string, ModelSpec>()
  #fromAnyState = false

  /** From here on: names that hands led to nothing count when they have led to something since. */
  begin(): void {
    this.#served.clear()
    this.gaps = []
    this.forgiving = false
    this.#fromAnyState = true
  }

  look(engine: Engine, project: string, routes: Route[]): void {
    this.#writers(engine)
    for (const route of routes) this.#serves(engine, project, route)
    for (const name of [...this.#served.keys()])
      if (!routes.some(({ service }) => service === name)) this.#served.delete(name)
  }

  #writers({ tasks }: Engine): void {
    const writers = new Map<string, Task>()
    for (const task of tasks.filter(holds))
      for (const name of task.spec.holds.filter((one) => one.startsWith('volume'))) {
        const other = writers.get(`${task.project} ${name}`)
        const words = (one: Task) => `${one.spec.service} ${one.spec.deployment}`
        if (other) this.twoWriters.push(`${name}: ${words(other)} and ${words(task)}`)
        writers.set(`${task.project} ${name}`, task)
      }
  }

  #serves({ services, tasks }: Engine, project: string, { service, port, also }: Route): void {
    const now = services.find((one) => one.project === project && one.spec.service === service)?.spec
    const mine = tasks.filter((task) => task.project === project && task.spec.service === service)
    const up = mine.filter((task) => task.healthy && task.meant)
    const wrong = up.find(({ spec }) => spec.listens !== port && spec.listens !== also)
    const before = this.#served.get(service)
    if (up[0]) {
      if (!wrong || !this.#fromAnyState) this.#served.set(service, up[0].spec)
    } else if (before) {
      const isSame = ({ spec }: Task) => spec.deployment === before.deployment && spec.specHash === before.specHash
      const own = mine.some((task) => isSame(task) && !task.told && isOver(task))
      this.#served.delete(service)
      if (!own) this.#note({ service, kind: 'none healthy', before, old: before, now })
    }
    if (wrong && (before || !this.#fromAnyState))
      this.#note({ service, kind: 'wrong port', before, old: wrong.spec, now })
  }

  #note(gap: Gap): void {
    if (!this.forgiving) this.gaps.push(gap)
  }
}
