import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Applied } from '../../../drivers/runtime/rollout/apply.ts'
import type { Outcome } from '../../../drivers/runtime/rollout/outcome.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Leaving } from '../../../drivers/runtime/rollout/wait-free.ts'
import type { Snapshot } from '../../../drivers/runtime/running/snapshot.ts'
import { isFailure } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import type { Patiently } from '../release/lost-lines.ts'
import type { Route } from '../routes/routes.ts'
import type { DeployFailure } from '../rows/failure.ts'
import type { Answer, Machines } from './converge.ts'
import { DEADLINES } from './deadlines.ts'
import { explainRollout } from './explain-rollout.ts'
import type { Names } from './names.ts'
import { observedOf } from './planning/observed.ts'
import type { Operation, ServiceOperation } from './planning/operation.ts'
import { claimIds, clash } from './planning/resources.ts'

type Wait = Extract<ServiceOperation, { kind: 'wait-healthy' }>

/** One server on which plans of a project are carried out. */
export type Place = {
  runtime: BaseParts['runtime']
  engine: EngineTarget
  server: string
  project: string
  /** Where operations find what a plan does not hold: the specs of services as they are sealed. */
  specs: ServiceSpec[]
  names: Names
  /** How long what was there before may take to be there again. */
  patienceMs: number
  /** Volumes count only for who wants them gone. */
  volumes?: boolean
  makeNetworks?(signal: AbortSignal): Promise<void>
  /** Repeats what a lost line has ended. Without it whoever asked is told. */
  patiently?: Patiently
  /** Instead of the usual watch. */
  watch?(wait: Wait, spec: ServiceSpec, signal: AbortSignal): Promise<Outcome> | undefined
  onApplied?(spec: ServiceSpec, did: Applied['did']): void
  onWait?(spec: ServiceSpec, leaving: Leaving): void
  /** What an error of a service's operation is in words; undefined: nobody's answer. */
  explain?(service: string, error: unknown, signal: AbortSignal): Promise<Error | undefined>
}

/** A service that was watched and did not come up. */
export class DidNotComeUp extends Error {
  readonly outcome: Outcome['outcome']
  readonly failure: DeployFailure

  constructor(outcome: Outcome, service: string, job: boolean) {
    const failure = explainRollout(outcome, service, job)
    super(failure.message)
    this.name = 'DidNotComeUp'
    this.outcome = outcome.outcome
    this.failure = failure
  }
}

type Options = Parameters<Machines['act']>[1]

/**
 * The one place in core that changes what runs. Each operation may be repeated; the runtime asks the guard between its last
 * look and each write.
 */
export function machinesOn(place: Place): Machines {
  const { runtime, engine, server, project, names, patiently = (_, work) => work() } = place
  // Nobody but this run changes where the names of its project lead.
  let routes: Promise<Route[]> | undefined
  const restarts: Restarts = new Map()
  return {
    async observe(signal) {
      routes ??= names.observe(signal)
      const looking = patiently(signal, () => runtime.snapshot(engine, project, { signal }))
      // Together: when the one fails, somebody hears how the other ends.
      const [snapshot, led] = await Promise.all([looking, routes])
      const volumes = place.volumes ? await runtime.volumes.list(engine, project, { signal }) : []
      const more = { routes: led, volumes: volumes.map(({ name }) => name) }
      return { [server]: observedOf(snapshot, more) }
    },
    async act(one, options) {
      if ('routes' in one) {
        await patiently(options.signal, () => names.lead(one, options.signal))
        routes = undefined
        return OK
      }
      if (!('service' in one)) return patiently(options.signal, () => onProject(place, one, options))
      const working = { ...place, restarts }
      return patiently(options.signal, () => onService(working, one, options)).catch(async (error): Promise<Answer> => {
        options.signal.throwIfAborted()
        const why = await place.explain?.(one.service, error, options.signal)
        if (!why) throw error
        return { ok: false, why }
      })
    },
  }
}

/** Which containers of a service are meant: those of its last restart. */
type Restarts = Map<string, number>
type Working = Place & { restarts: Restarts }

const OK: Answer = { ok: true }

async function onProject(
  { runtime, engine, project, makeNetworks }: Place,
  one: Exclude<Operation, { service: string } | { routes: Route[] }>,
  { guard, signal }: Options,
): Promise<Answer> {
  if (one.kind === 'withdraw') await runtime.withdraw(engine, project, { signal, guard, atOnce: one.atOnce })
  else if (one.kind === 'ensure-networks') await makeNetworks?.(signal)
  else await dropVolumes({ runtime, engine, project }, { guard, signal })
  return OK
}

function onService(place: Working, one: ServiceOperation, options: Options): Promise<Answer> {
  switch (one.kind) {
    case 'apply':
    case 'run-job':
      return apply(place, one, options)
    case 'restart':
      return restart(place, one, options)
    case 'remove':
      return remove(place, one, options)
    case 'wait-healthy':
      return watch(place, one, options)
    case 'wait-idle':
      return untilSeen(place, DEADLINES.idleMs, options.signal, one.service, ({ services }) =>
        services.every(({ service, update }) => service !== one.service || update !== 'moving'),
      )
    default:
      return untilSeen(place, DEADLINES.freeMs, options.signal, one.service, ({ held }) =>
        held.every(({ service, claims }) => {
          const ids = one.holders.includes(service) ? claimIds(claims) : []
          return !ids.some((id) => one.resources.some((wanted) => clash(wanted.id, id)))
        }),
      )
  }
}

function specOf(place: Place, wanted: Wait['spec']): ServiceSpec {
  const found = findSpec(place, wanted)
  if (!found) throw new Error(`no spec of ${wanted.service} by ${wanted.deployment}`)
  return found
}

const findSpec = ({ specs, runtime }: Place, { service, deployment, specHash }: Wait['spec']) =>
  specs.find(
    (spec) => spec.service === service && spec.deployment === deployment && runtime.specHash(spec) === specHash,
  )

/** Another rollout of the service is still under way: it was not when it was looked at, so it is looked at again. */
const isBusy = (error: unknown) => isFailure(error, 'runtime', 'update_running')

async function apply(
  place: Place,
  one: Extract<ServiceOperation, { kind: 'apply' | 'run-job' }>,
  { guard, signal }: Options,
): Promise<Answer> {
  const spec = specOf(place, one.spec)
  const interrupt = one.kind === 'apply' && one.interrupt
  const onWait = (leaving: Leaving) => place.onWait?.(spec, leaving)
  try {
    const { did } = await place.runtime.apply(place.engine, spec, { signal, guard, interrupt, onWait })
    place.onApplied?.(spec, did)
    return OK
  } catch (error) {
    if (isBusy(error)) return { ok: 'again' }
    throw error
  }
}

async function restart(
  place: Working,
  { service, token, spec }: Extract<ServiceOperation, { kind: 'restart' }>,
  { guard, signal }: Options,
): Promise<Answer> {
  const { runtime, engine, project, restarts } = place
  try {
    const known = findSpec(place, spec)
    const options = { signal, guard, token, deployment: spec.deployment, ...(known && { spec: known }) }
    restarts.set(service, (await runtime.restart(engine, { project, service }, options)).generation)
    return OK
  } catch (error) {
    if (isBusy(error)) return { ok: 'again' }
    throw error
  }
}

/** As it was seen: one that is another's by now stays. Who takes over waits for its containers, nobody else has to. */
async function remove(
  { runtime, engine, project }: Place,
  { service, deployment, takenBy }: Extract<ServiceOperation, { kind: 'remove' }>,
  { guard, signal }: Options,
): Promise<Answer> {
  const options = { signal, guard, deployments: [deployment], wait: takenBy === undefined }
  await runtime.remove(engine, { project, service }, options)
  return OK
}

async function watch(place: Working, wait: Wait, { guard, signal }: Options): Promise<Answer> {
  const { runtime, engine, project, patienceMs: deadlineMs, restarts } = place
  const { service, until, token } = wait
  const { deployment, specHash, job } = wait.spec
  const key = { project, service }
  if (until === 'serving') {
    const serves = await runtime.serving(engine, key, { deployment, specHash, signal, deadlineMs })
    return serves ? OK : { ok: 'again' }
  }
  // The same token again finds it done, and tells which containers are meant.
  if (token !== undefined && !restarts.has(service))
    restarts.set(service, (await runtime.restart(engine, key, { signal, guard, token, deployment })).generation)
  const generation = token === undefined ? undefined : restarts.get(service)
  const options = { deployment, specHash, signal, deadlineMs, ...(generation !== undefined && { generation }) }
  const watching = place.watch?.(wait, specOf(place, wait.spec), signal) ?? runtime.watch(engine, key, options)
  const outcome = await watching
  signal.throwIfAborted()
  return outcome.outcome === 'healthy' ? OK : { ok: false, why: new DidNotComeUp(outcome, service, job) }
}

const POLL_MS = 300

/** Looks until it is so; time that is over is an answer about the service. */
async function untilSeen(
  { runtime, engine, project, explain }: Place,
  limitMs: number,
  signal: AbortSignal,
  service: string,
  isSo: (seen: Snapshot) => boolean,
): Promise<Answer> {
  const end = performance.now() + limitMs
  for (;;) {
    if (isSo(await runtime.snapshot(engine, project, { signal }))) return OK
    if (performance.now() > end) break
    await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
  const late = new Error(
    `${service} could not be changed within ${Math.round(limitMs / 1000)} s: something is in its way.`,
  )
  return { ok: false, why: (await explain?.(service, late, signal)) ?? late }
}

/** The engine gives volumes back a moment after a container is gone. */
const MOST_ATTEMPTS = 20

/** Containers that have ended hold them, too. */
async function dropVolumes(
  { runtime, engine, project }: Pick<Place, 'runtime' | 'engine' | 'project'>,
  { guard, signal }: Options,
): Promise<void> {
  for (const { name } of await runtime.volumes.list(engine, project, { signal })) {
    for (let attempt = 1; ; attempt++) {
      await runtime.removeEnded(engine, project, { signal, guard })
      const left = await runtime.volumes.remove(engine, project, name, { signal, guard }).catch((error) => error)
      if (!(left instanceof Error)) break
      if (!isFailure(left, 'runtime', 'in_use') || attempt >= MOST_ATTEMPTS) throw left
      await sleep(500, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
