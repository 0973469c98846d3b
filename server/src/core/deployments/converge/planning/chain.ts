import type { ObservedServer, ObservedService } from './observed.ts'
import { type Fate, type Fates, type Resource, type ServiceOperation, type Spec, same } from './operation.ts'
import { clash } from './resources.ts'
import type { Wanted } from './wanted.ts'

/** `spec` null: it is to be gone. `verify`: it must be seen up even where nothing is to be changed. */
export type Target = { spec: Spec | null; manner: Wanted['manner']; verify: boolean; onFailure: Fate; reason: string }

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never
/** `now`: it waits for nobody. */
export type Link = Without<ServiceOperation, 'server' | 'after'> & { now?: true }
export type Around = { now: ObservedServer; wanted: Wanted; fates: Fates }

/** One service on its way to its target, one link after the other; none when it is there. */
export function chainOf(name: string, target: Target, around: Around): Link[] {
  const { spec } = target
  const there = around.now.services.find(({ service }) => service === name)
  const make = linksOf(name, target, around, there)
  if (spec === null) return there ? [make.remove()] : []
  const at: At = { name, spec, target, there, make, around }
  if (around.wanted.restart !== undefined) return restartChain(at, around.wanted.restart)
  return spec.job ? jobChain(at) : serviceChain(at)
}

type At = {
  name: string
  spec: Spec
  target: Target
  there: ObservedService | undefined
  make: ReturnType<typeof linksOf>
  around: Around
}

function linksOf(name: string, target: Target, { wanted, fates }: Around, there: ObservedService | undefined) {
  const { onFailure, reason: said } = target
  const base = (kind: string, of: Spec | null, reason = said) => {
    const id = of ? `${kind} ${name} ${of.deployment}/${of.specHash}` : `${kind} ${name}`
    return { id, service: name, onFailure, reason }
  }
  const token = wanted.restart !== undefined && { token: wanted.restart }
  return {
    remove: (reason?: string): Link => ({
      kind: 'remove',
      deployment: there?.deployment ?? null,
      ...base('remove', null, reason),
    }),
    apply: (spec: Spec, interrupt: boolean, reason?: string): Link => ({
      ...{ kind: 'apply', spec, interrupt, ...base('apply', spec, reason) },
    }),
    job: (spec: Spec): Link => ({ kind: 'run-job', spec, ...base('run-job', spec) }),
    restart: (spec: Spec, again: string): Link => ({
      ...{ kind: 'restart', spec, token: again, ...base('restart', null, 'somebody asked for new containers') },
    }),
    idle: (): Link => ({ kind: 'wait-idle', ...base('wait-idle', null, 'the engine is still changing it') }),
    free: (resources: Resource[]): Link => {
      const why = `its last container still has ${resources.map(({ label }) => label).join(', ')}`
      return { kind: 'wait-free', resources, holders: [name], ...base('wait-free', null, why) }
    },
    wait: (spec: Spec, until: 'healthy' | 'serving' | 'done'): Link => ({
      ...{ kind: 'wait-healthy', spec, until, onSuccess: fates[name] === 'failed' ? 'back' : 'came', ...token },
      ...base('wait-healthy', spec),
    }),
  }
}

function restartChain({ name, spec, there, make, around }: At, token: string): Link[] {
  if (spec.job) return []
  const came = around.fates[name] === 'came'
  if (there && there.restart === token)
    return came || isStable(there, spec, 'healthy') ? [] : [make.wait(spec, 'healthy')]
  const busy = there?.update === 'moving' ? [make.idle()] : []
  return [...busy, make.restart(spec, token), make.wait(spec, 'healthy')]
}

const leavingOf = ({ there, make }: At): Link[] =>
  there?.leaving ? [make.remove('somebody has begun to remove it')] : []

function jobChain(at: At): Link[] {
  const { name, spec, target, there, make, around } = at
  const gone = leavingOf(at)
  const right = same(there, spec) && gone.length === 0
  if (target.manner === 'back') {
    return there && !same(there, spec) ? [make.remove('what is left of its new form goes')] : gone
  }
  const changed = spec.deployment === around.wanted.deployment
  if (!changed || around.fates[name] === 'came')
    return there && !there.job ? [make.remove('it is a job, and over')] : []
  if (right) return [make.wait(spec, 'done')]
  const blocks = there && (!there.job || !there.over)
  const way = blocks ? [make.remove('it cannot become a job, or would run beside it')] : gone
  return [...way, make.job(spec), make.wait(spec, 'done')]
}

function serviceChain(at: At): Link[] {
  const { name, spec, target, there, make, around } = at
  const { wanted, fates } = around
  const gone = leavingOf(at)
  const changed = spec.deployment === wanted.deployment
  if (there && same(there, spec) && gone.length === 0) {
    // What this rollout brings is believed when it was watched; what was there before, when it has been up long enough.
    const believed = !target.verify || isStable(there, spec, wanted.until)
    const asItWas = !changed && fates[name] !== 'begun' && believed
    return fates[name] === 'came' || asItWas ? [] : [make.wait(spec, wanted.until)]
  }
  // Tried before, by an owner who is gone: its watch tells how that ended, and once is enough.
  const tried = target.manner === 'forward' && there?.wentBackFrom.some((one) => same(one, spec))
  if (tried) return [make.wait(spec, 'healthy')]
  return [...wayTo(at, gone), make.apply(spec, interrupts(at, gone)), make.wait(spec, wanted.until)]
}

/** What has to be out of the way before the new form can be written. */
function wayTo(at: At, gone: Link[]): Link[] {
  const { name, spec, target, there, make, around } = at
  const way = there?.job ? [make.remove('the engine makes no service of a job')] : [...gone]
  const old = priorOf(at)
  if (there?.update === 'moving' && way.length === 0 && target.manner === 'forward' && old) {
    // Over a bad version the engine would go back to the bad one.
    if (!same(there, old)) way.push(make.apply(old, true, 'nobody brought its last rollout to an end'))
    way.push(make.idle())
  }
  const mine = around.now.held.filter(({ service }) => service === name).map(({ resource }) => resource)
  const lingers = spec.needs.filter(({ id }) => mine.some((one) => clash(id, one)))
  if (there === undefined && lingers.length > 0) way.push(make.free(lingers))
  return way
}

const priorOf = ({ name, spec, around }: At) =>
  around.wanted.prior.find((one) => one.service === name && !one.job && !same(one, spec))

function interrupts(at: At, gone: Link[]): boolean {
  const { target, there } = at
  const moving = there?.update === 'moving' && !there.job && gone.length === 0
  return target.manner === 'back' || (moving && !priorOf(at))
}

/** By one look: who has been up for the whole window has not died in it. Names may still lead to what is old. */
const isStable = (
  { up, wanted, old, update, upForMs }: ObservedService,
  { monitorMs }: Spec,
  until: 'healthy' | 'serving',
): boolean => up >= wanted && old === 0 && (until === 'serving' || (update === 'idle' && upForMs >= monitorMs))
