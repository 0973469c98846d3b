import type { Case } from './case.ts'
import { type Choice, expected, type Faults } from './model.ts'
import { type Fault, JOB, type Name, RUNNING, SERVICES, type Shape } from './stack.ts'

type Kind = 'start' | 'health' | 'job' | 'build' | 'mixed'
export type Planned = Case & { kind: Kind; shape: Shape }

/** Every subset of the stack that is not empty, each of its services ending at once. */
function allSubsets(): Faults[] {
  return Array.from({ length: 2 ** SERVICES.length - 1 }, (_, index) => {
    const chosen = SERVICES.filter((_, place) => ((index + 1) >> place) & 1)
    return faultsOf(chosen, () => 'start')
  })
}

const SAMPLES: Record<Exclude<Kind, 'start'>, number> = { health: 8, job: 5, build: 5, mixed: 8 }

/** Whatever fails at the start of a stack of this shape, once kept and once rejected where there is something to decide. */
export const subsetsBothWays = (shape: Shape): Planned[] =>
  allSubsets().flatMap((faults, place): Planned[] => {
    const one = { kind: 'start' as const, shape, faults, name: wordsOf(faults) }
    if (!isAsked(faults, shape)) return [{ ...one, choices: [] }]
    // Every other time two say the same at once.
    const times = 1 + (place % 2)
    return (['keep', 'reject'] as const).map((choice) => ({
      ...one,
      choices: Array.from({ length: times }, () => choice),
      followed: place % FOLLOWED_EACH === 4 && choice === (place % 2 === 0 ? 'keep' : 'reject'),
    }))
  })

const wordsOf = (faults: Faults) =>
  Object.entries(faults)
    .map(([name, fault]) => `${name} ${fault}`)
    .join(', ')

const isAsked = (faults: Faults, shape: Shape) =>
  expected({}, { version: '', deployment: '' }, faults, shape).decision === 'pending'

/** Of the other stages as many as were drawn. The same seed draws the same. */
export function sampled(seed: number): Planned[] {
  const random = generator(seed)
  const draw: Record<Exclude<Kind, 'start'>, () => Faults> = {
    health: () => faultsOf(some(random, RUNNING), () => 'health'),
    job: () => ({ ...faultsOf(maybe(random, RUNNING), () => 'health'), [JOB]: 'start' }),
    build: () => faultsOf(some(random, SERVICES), (place) => (place === 0 ? 'build' : oneOf(random, KINDS))),
    mixed: () => faultsOf(several(random, SERVICES), (place) => BOTH[place] ?? oneOf(random, BOTH)),
  }
  const drawn = (Object.keys(SAMPLES) as Exclude<Kind, 'start'>[]).flatMap((kind) =>
    Array.from({ length: SAMPLES[kind] }, () => ({ kind, faults: draw[kind]() })),
  )
  return withChoices(drawn)
}

const KINDS: Fault[] = ['build', 'start', 'health']
const BOTH: Fault[] = ['start', 'health']
/** Both sides of a race want the same, or not: either may win then. */
const RACES: Choice[][] = [
  ['keep', 'keep'],
  ['reject', 'reject'],
  ['keep', 'reject', 'keep', 'reject'],
  ['reject', 'keep'],
]
const FOLLOWED_EACH = 9

/** Of each kind in turn, so that each is kept and rejected about equally often. */
function withChoices(all: { kind: Kind; faults: Faults }[]): Planned[] {
  const asked: Partial<Record<Kind, number>> = {}
  return all.map(({ kind, faults }) => {
    const one = { kind, shape: 'chains' as const, faults, name: wordsOf(faults), choices: [] as Choice[] }
    if (!isAsked(faults, one.shape)) return one
    const count = asked[kind] ?? 0
    asked[kind] = count + 1
    return { ...one, choices: RACES[count % RACES.length] ?? [], followed: count % FOLLOWED_EACH === 4 }
  })
}

const faultsOf = (names: readonly Name[], fault: (place: number) => Fault): Faults =>
  Object.fromEntries(names.map((name, place) => [name, fault(place)]))

type Random = () => number

const maybe = <T>(random: Random, all: readonly T[]): T[] => all.filter(() => random() < 0.35)
const oneOf = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T

function some<T>(random: Random, all: readonly T[]): T[] {
  const chosen = maybe(random, all)
  return chosen.length > 0 ? chosen : [oneOf(random, all)]
}

function several<T>(random: Random, all: readonly T[]): T[] {
  const chosen = maybe(random, all)
  return chosen.length > 1 ? chosen : several(random, all)
}

/** Mulberry32. */
function generator(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
