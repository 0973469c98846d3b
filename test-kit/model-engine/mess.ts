import fc from 'fast-check'
import type { ModelSpec } from './shapes.ts'
import type { Swarm } from './swarm.ts'
import type { ModelRelease } from './world.ts'

/** Whatever hands, crashes and half-done rollouts may have left: only two writers are nobody's leftover. */
type Mess = {
  what: 'put' | 'drop' | 'mark' | 'wait' | 'route' | 'die' | 'restart'
  of: number
  from: number
  ticks: number
}
export const messOf = fc.array(
  fc.record<Mess>({
    what: fc.constantFrom('put', 'put', 'put', 'drop', 'mark', 'wait', 'route', 'die', 'restart'),
    of: fc.nat(4),
    from: fc.nat(2),
    ticks: fc.nat(12),
  }),
  { maxLength: 12 },
)

export function makeMess(swarm: Swarm, mess: Mess[], releases: ModelRelease[]): void {
  for (const { what, of, from, ticks } of mess) {
    const specs = releases[from]?.services ?? []
    const spec: ModelSpec | undefined = specs[of % Math.max(1, specs.length)]
    const there = spec && swarm.find(spec.service)
    if (what === 'put' && spec && (!there || there.spec.job === spec.job) && isFree(swarm, spec)) swarm.put(spec)
    if (what === 'drop' && there) swarm.drop(there.id)
    if (what === 'mark' && there) there.leaving = true
    if (what === 'restart' && there && !spec.job)
      Object.assign(there, { restart: 'earlier', version: there.version + 1 })
    if (what === 'route')
      swarm.routes.p = (releases[from]?.routes ?? []).map((route) => (of % 2 ? { ...route, also: 99 } : route))
    if (what === 'die')
      for (const task of swarm.tasks)
        if (task.project === 'p' && task.state === 'running' && !task.spec.job)
          Object.assign(task, { state: 'ended', healthy: false })
    for (let n = 0; n < ticks; n++) swarm.tick()
  }
}
/** Nobody else has what only one may have, nor will. */
const isFree = (swarm: Swarm, spec: ModelSpec) =>
  spec.holds.every((name) => {
    const has = (one: ModelSpec | undefined) => name.startsWith('volume') && (one?.holds.includes(name) ?? false)
    const isOwn = (of: number) => swarm.services.some(({ id, spec: own }) => id === of && own.service === spec.service)
    const others = swarm.services.filter((one) => one.project === 'p' && one.spec.service !== spec.service)
    const tasks = swarm.tasks.filter((task) => task.project === 'p' && task.state !== 'ended' && !isOwn(task.of))
    return !others.some((one) => has(one.spec) || has(one.previous?.spec)) && !tasks.some((task) => has(task.spec))
  })
