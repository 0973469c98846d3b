import type { Deployment, DeploymentService } from '@slipway/contract/deployment-shape'
import { type Fault, JOB, type Name, SERVICES, type Shape, waitsFor } from './stack.ts'

/**
 * What must become of the stack, from nothing but who waits for whom and what is wrong: the table of the states in a few
 * lines that know nothing of the product.
 */
export type Running = { version: string; deployment: string }
/** Which version of each service runs; of the job, which one counts as done. */
export type World = Partial<Record<Name, Running>>
export type Faults = Partial<Record<Name, Fault>>
export type Choice = 'keep' | 'reject'

/** What is said of one service; no codes: no error. */
type Told = { status: DeploymentService['status'][]; codes: string[] }
export type Expected = {
  status: Deployment['status']
  decision: Deployment['decision']
  active: boolean
  /** Of the deployment's own error. */
  codes: string[]
  services: Record<Name, Told>
  world: World
}

const CODES: Record<Fault, string[]> = {
  build: ['build_failed'],
  start: ['crashed', 'unstable'],
  health: ['unhealthy'],
}
const codesOf = (name: Name, fault: Fault) => (name === JOB ? CODES.start : CODES[fault])
const each = <T>(of: (name: Name) => T) =>
  Object.fromEntries(SERVICES.map((name) => [name, of(name)])) as Record<Name, T>

type Fate = 'came' | 'failed' | 'held'

/** Whether each comes up, fails by itself, or waits for one that does not come. */
function fatesOf(faults: Faults, shape: Shape): Record<Name, Fate> {
  const fates = {} as Record<Name, Fate>
  for (const name of SERVICES) {
    const waits = waitsFor(name, shape).some((other) => fates[other] !== 'came')
    fates[name] = waits ? 'held' : faults[name] ? 'failed' : 'came'
  }
  return fates
}

/** After the rollout: over, or waiting for a decision. */
export function expected(before: World, now: Running, faults: Faults, shape: Shape): Expected {
  const builds = SERVICES.filter((name) => faults[name] === 'build')
  if (builds.length > 0) return unbuilt(before, builds)
  const fates = fatesOf(faults, shape)
  const came = (name: Name) => fates[name] === 'came'
  const services = each((name): Told => {
    if (came(name)) return { status: ['healthy'], codes: [] }
    if (fates[name] === 'held') return { status: [backOf(before, name)], codes: ['dependency_failed'] }
    return { status: [name === JOB ? 'failed' : backOf(before, name)], codes: codesOf(name, faults[name] as Fault) }
  })
  const codes = SERVICES.filter((name) => fates[name] === 'failed').flatMap((name) => services[name].codes)
  const world: World = { ...before }
  for (const name of SERVICES.filter(came)) world[name] = now
  if (SERVICES.every(came)) return { status: 'ready', decision: null, active: true, codes, services, world }
  if (SERVICES.some(came)) {
    return { status: 'partial_failure', decision: 'pending', active: false, codes, services, world }
  }
  return { status: 'failed', decision: null, active: false, codes, services: allBack(before, services), world: before }
}

/** One that does not build ends the whole before anything is touched; what was built for the others is gone again. */
function unbuilt(before: World, builds: Name[]): Expected {
  const services = each((name): Told => {
    const untouched: Told = { status: ['pending'], codes: [] }
    const broken: Told = { status: ['failed'], codes: CODES.build }
    // The first of them in the order of the build is the one that fails.
    if (!builds.includes(name)) return untouched
    return builds.length === 1 ? broken : { status: ['failed', 'pending'], codes: [...CODES.build, ''] }
  })
  return { status: 'failed', decision: null, active: false, codes: CODES.build, services, world: before }
}

export function decided(before: World, pending: Expected, choice: Choice): Expected {
  if (choice === 'keep') return { ...pending, decision: 'kept', active: true }
  const services = allBack(before, pending.services)
  return { status: 'rejected', decision: 'rejected', active: false, codes: ['rejected'], services, world: before }
}

const backOf = (before: World, name: Name): 'restored' | 'removed' => (before[name] ? 'restored' : 'removed')

const allBack = (before: World, services: Record<Name, Told>) =>
  each((name): Told => ({ status: [backOf(before, name)], codes: services[name].codes }))
