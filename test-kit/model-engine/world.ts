import fc from 'fast-check'
import {
  type ConvergeOptions,
  converge,
  type Journal,
  type Result,
} from '../../server/src/core/deployments/converge/converge.ts'
import { plan } from '../../server/src/core/deployments/converge/plan.ts'
import { cameOf } from '../../server/src/core/deployments/converge/planning/held.ts'
import { type Fates, same } from '../../server/src/core/deployments/converge/planning/operation.ts'
import { keep, type Standing, type Wanted } from '../../server/src/core/deployments/converge/planning/wanted.ts'
import type { Route } from '../../server/src/core/deployments/routes/routes.ts'
import type { Gap } from './audit.ts'
import { MONITOR_MS, type ModelSpec } from './shapes.ts'
import { Cut, type Swarm } from './swarm.ts'

export type ModelRelease = Omit<Standing, 'services'> & { services: ModelSpec[] }

const HOME = 's1'
export const NAMES = ['db', 'cache', 'migrate', 'api', 'web'] as const
/** Cases of each property: few wherever tests run, many where somebody looks for rare ones. */
export const RUNS = Number(process.env.SLIPWAY_PLAN_CASES ?? 25)

/** Mulberry32: the engine's own chances, reproducible by a number. */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

type Sketch = {
  there: boolean
  version: number
  behaviour: 'good' | 'crash' | 'sick' | 'late'
  replicas: number
  listens: number
  stopFirst: boolean
  job: boolean
  waits: (boolean | null)[]
}
/** Who has each volume and each port of the machine; a number beyond the services: nobody. */
export type Drawn = { services: Sketch[]; volumes: number[]; ports: number[] }

type Of = { bad?: boolean; late?: boolean; handover?: boolean; modes?: boolean }

export function drawn({ bad = false, late = false, handover = false, modes = false }: Of = {}): fc.Arbitrary<Drawn> {
  const behaviours = [
    ...Array<'good'>(bad || late ? 4 : 1).fill('good'),
    ...(bad ? (['crash', 'sick'] as const) : []),
    ...(late ? (['late'] as const) : []),
  ]
  const sketch = (place: number) =>
    fc.record<Sketch>({
      there: place === 4 ? fc.constant(true) : fc.boolean(),
      version: fc.integer({ min: 1, max: 3 }),
      behaviour: fc.constantFrom(...behaviours),
      replicas: fc.integer({ min: 1, max: 2 }),
      listens: fc.constantFrom(80, 81),
      stopFirst: fc.boolean(),
      job: modes ? fc.boolean() : fc.constant(place === 2),
      waits: fc.array(fc.constantFrom(null, true, false), { minLength: place, maxLength: place }),
    })
  const owner = (usual: number) => (handover ? fc.integer({ min: 0, max: 6 }) : fc.constantFrom(usual, 9))
  return fc.record({
    services: fc.tuple(...NAMES.map((_, place) => sketch(place))),
    volumes: fc.tuple(owner(0), owner(1)),
    ports: fc.tuple(owner(1), owner(3)),
  })
}

const VOLUMES = ['volume data/', 'volume files/']
const PORTS = ['port 5000/tcp', 'port 5001/tcp']

/** A release of a deployment; what is as it was keeps its spec, and with it the deployment that brought it. */
export function freeze(
  { services, volumes, ports }: Drawn,
  deployment: string,
  prior: ModelRelease | null,
  server = HOME,
): ModelRelease {
  const there = NAMES.filter((_, place) => services[place]?.there)
  const specs = there.map((service): ModelSpec => {
    const place = NAMES.indexOf(service)
    const { version, behaviour, replicas, listens, stopFirst, job, waits } = services[place] as Sketch
    const own = [
      ...VOLUMES.filter((_, n) => !job && volumes[n] === place),
      ...PORTS.filter((_, n) => !job && ports[n] === place),
    ]
    const content = {
      ...{ job, replicas: job || own.length > 0 ? 1 : replicas, listens: job ? null : listens },
      order: stopFirst || own.length > 0 ? ('stop-first' as const) : ('start-first' as const),
    }
    const specHash = `v${version}.${Object.values(content).join('.')}.${own.join('.')}~${behaviour}`
    const after = NAMES.flatMap((name, n) =>
      waits[n] != null && there.includes(name) ? [{ service: name, required: waits[n] ?? true }] : [],
    )
    const old =
      there.length > 1 ? prior?.services.find((one) => one.service === service && one.specHash === specHash) : undefined
    const brought = old?.deployment ?? deployment
    return { service, specHash, deployment: brought, after, monitorMs: MONITOR_MS, ...content, ...having(own) }
  })
  return { server, services: specs, routes: routesTo(specs), networks: ['private'] }
}

/** What only one can have, by ids alone. */
export const having = (own: string[]) => ({ needs: own.map((id) => ({ id, label: id })), holds: own })

export const routesTo = (services: ModelSpec[]): Route[] =>
  services.flatMap(({ service, listens }) =>
    listens === null ? [] : [{ host: `${service}.test`, pathPrefix: null, service, port: listens }],
  )

/** What came up, and the others as they were. */
export function keptOf(wanted: Wanted, fates: Fates): Wanted {
  const services = wanted.services.flatMap((spec) => {
    const prior = wanted.prior.find(({ service }) => service === spec.service)
    return cameOf(wanted, fates, spec) ? [spec] : prior ? [prior] : []
  }) as ModelSpec[]
  return keep(wanted, { services, routes: routesTo(services) })
}

/** Long enough for many cases. */
export const LONG_MS = 1_800_000

/** Where names led to nothing though the order allowed otherwise. */
export const lapses = (swarm: Swarm) =>
  swarm.audit.gaps.filter(
    ({ old, now, kind }) => kind === 'wrong port' || !(old?.order === 'stop-first' || now?.order === 'stop-first'),
  )

/**
 * The same from any state. No order can keep up what hands led a name to and no release knows, what somebody has begun to remove, and
 * what is a job before or after: that is removed and made anew.
 */
export function lapsesFrom(swarm: Swarm, { active, wanted, marked, others = [] }: From): Gap[] {
  const specOf = (services: Wanted['services'], name: string) => services.find(({ service }) => service === name)
  return lapses(swarm).filter(({ service, before }) => {
    const known = specOf(active.services, service)
    const next = specOf(wanted.services, service)
    const isJob = before?.job || known?.job || next?.job
    const forms = [active, wanted, ...others].map(({ services }) => specOf(services, service))
    const isKnown = before && forms.some((one) => one && same(one, before))
    return known && isKnown && !isJob && !marked.includes(service)
  })
}
/** `others`: what else may answer a name at first and is to be replaced without a lapse. */
type From = { active: ModelRelease; wanted: Wanted; marked: string[]; others?: ModelRelease[] }

/** Services that somebody has begun to remove. */
export const markedIn = (swarm: Swarm): string[] =>
  swarm.services.filter(({ leaving }) => leaving).map(({ spec }) => spec.service)

export const good = (release: Drawn): Drawn => ({
  ...release,
  services: release.services.map((one) => ({ ...one, behaviour: 'good' as const })),
})

/** The journal that outlives an owner. */
export function journalOf(known: Fates = {}): Journal {
  const fates: Fates = { ...known }
  const learn: Journal['learn'] = async (service, fate) => {
    fates[service] = fate
  }
  return { fates, learn }
}

export const free = async () => {}

export async function bring(swarm: Swarm, wanted: Wanted, more: Partial<ConvergeOptions> = {}): Promise<Result> {
  const journal = more.journal ?? journalOf()
  return converge(swarm, wanted, { journal, guard: free, signal: new AbortController().signal, ...more })
}

/** A stranger's service on the same engine, with names of the same kind. */
export function withStranger(swarm: Swarm): () => string {
  const spec: ModelSpec = {
    ...{ service: 'db', deployment: 'other', specHash: 'v1', job: false, replicas: 1, after: [], listens: 80 },
    ...{ order: 'stop-first', monitorMs: MONITOR_MS, ...having(['volume data/', 'port 7000/tcp']) },
  }
  swarm.put(spec, 'stranger')
  swarm.put({ ...spec, service: 'gone', ...having([]) }, 'stranger')
  swarm.routes.stranger = [{ host: 'stranger.test', pathPrefix: null, service: 'db', port: 80 }]
  swarm.networks.stranger = ['private']
  for (let n = 0; n < 30; n++) swarm.tick()
  const look = () =>
    JSON.stringify([
      swarm.services.filter(({ project }) => project === 'stranger').map(({ id, version }) => [id, version]),
      swarm.tasks.filter(({ project }) => project === 'stranger').map(({ id, state }) => [id, state]),
      swarm.routes.stranger,
      swarm.networks.stranger,
      swarm.volumes.stranger,
    ])
  const before = look()
  return () => (look() === before ? '' : `a stranger was touched: ${before} is ${look()}`)
}

/** What runs: the deployment and the specHash of each service, jobs aside. */
export const running = (swarm: Swarm): Record<string, string> =>
  Object.fromEntries(
    swarm.services
      .filter(({ project, spec }) => project === swarm.project && !spec.job)
      .map(({ spec }) => [spec.service, `${spec.deployment}/${spec.specHash}`] as const)
      .sort(),
  )
export const shouldRun = (
  services: Pick<ModelSpec, 'service' | 'deployment' | 'specHash' | 'job'>[],
): Record<string, string> =>
  Object.fromEntries(
    services
      .filter(({ job }) => !job)
      .map(({ service, deployment, specHash }) => [service, `${deployment}/${specHash}`] as const)
      .sort(),
  )

export const left = (swarm: Swarm, wanted: Wanted, fates: Fates = {}): string[] =>
  plan(swarm.look(), wanted, fates).map(({ id }) => id)

/** Where an owner is killed: at a write or when it writes down what it learned, each before or after it had its effect. */
export type KillPoint = { at: 'write' | 'learn'; after: number; late: boolean }

function killing(swarm: Swarm, journal: Journal, { at, after, late }: KillPoint): Journal {
  let count = 0
  const isTime = () => count++ === after
  if (at === 'write')
    swarm.chaos = {
      around(when) {
        if ((when === 'after') === late && isTime()) throw new Cut('killed')
      },
    }
  const learn: Journal['learn'] = async (...learned) => {
    if (at !== 'learn' || !isTime()) return journal.learn(...learned)
    if (late) await journal.learn(...learned)
    throw new Cut('killed')
  }
  return { fates: journal.fates, learn }
}

/** One owner after the other is killed; the last one brings it to its end. */
export async function throughCuts(
  swarm: Swarm,
  wanted: Wanted,
  cuts: KillPoint[],
  journal = journalOf(),
): Promise<Result> {
  for (const cut of cuts) {
    try {
      return await bring(swarm, wanted, { journal: killing(swarm, journal, cut) })
    } catch (error) {
      if (!(error instanceof Cut)) throw error
    } finally {
      swarm.chaos = {}
    }
    if (swarm.chance(0.5)) await swarm.pause(3)
  }
  return bring(swarm, wanted, { journal })
}

export const cutsOf = fc.array(
  fc.record<KillPoint>({
    at: fc.constantFrom('write', 'write', 'learn'),
    after: fc.nat({ max: 6 }),
    late: fc.boolean(),
  }),
  { maxLength: 5 },
)
export const seeds = fc.integer({ min: 1, max: 1_000_000 })
