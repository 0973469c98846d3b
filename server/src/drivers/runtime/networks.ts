import type Docker from 'dockerode'
import type { NetworkAnswer } from '../engine/answers.ts'
import { apiOf, callEngine, statusOf, unlessMissing, wordsOf } from '../engine/ask.ts'
import { runtimeFailure } from './failure.ts'
import { having, LABEL } from './labels.ts'

type Wanted = {
  name: string
  instance: string
  org: string
  project?: string | undefined
  /** No way to the outside, in either direction. */
  internal?: boolean
}

/**
 * The first API version (Engine 25) with which this needs no more of the kernel than any distribution has. For an encrypted
 * network the engine drops every packet that reaches the machine's overlay port in clear; for any other one it takes them
 * from whoever sends them, containers of other projects included, as if they came from within. Between containers of one
 * machine nothing is encrypted, so it costs nothing there.
 */
const ENCRYPTED = 144

/** An overlay network of that name, ours. Several may ask at once. One that is there stays as it is. */
export async function ensureNetwork(docker: Docker, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const { name, instance, org, project, internal = false } = wanted
  if (await isOurs(docker, wanted, signal)) return
  const Labels = { [LABEL.instance]: instance, [LABEL.org]: org, ...(project && { [LABEL.project]: project }) }
  const Options = apiOf(docker) >= ENCRYPTED ? { encrypted: '' } : {}
  const kind = { Driver: 'overlay', Attachable: false, Internal: internal, Options }
  // CheckDuplicate is for engines before 25; newer ones always check.
  const body = { Name: name, CheckDuplicate: true, ...kind, Labels }
  try {
    await callEngine(docker, { method: 'POST', path: '/networks/create', body }, signal)
  } catch (error) {
    if (!isTaken(error) || !(await isOurs(docker, wanted, signal))) throw error
  }
}

/**
 * The ids of a spec's networks. Each must carry the label of the spec's own project, whatever it is called: a service on a
 * network of others could be found, and be taken for one of theirs, by all of them. None at all would be the engine's own
 * bridge, which everybody is on.
 */
export async function ownNetworks(
  docker: Docker,
  { instance, project, names }: { instance: string; project: string; names: string[] },
  signal: AbortSignal,
): Promise<Map<string, string>> {
  if (names.length === 0) throw runtimeFailure('spec_refused', 'A service needs a network of its project.')
  const query = { filters: having({ [LABEL.instance]: instance, [LABEL.project]: project }) }
  const found = await callEngine<NetworkAnswer[]>(docker, { path: '/networks', query }, signal)
  const ids = new Map(found.filter(({ Scope }) => Scope === 'swarm').map(({ Name, Id }) => [Name, Id]))
  const foreign = names.find((name) => !ids.has(name))
  if (foreign === undefined) return ids
  throw runtimeFailure('spec_refused', `The project has no network ${foreign} on this engine.`)
}

/** Whether it was there. A service that was just removed leaves its networks only when its last container has ended. */
export async function removeNetwork(
  docker: Docker,
  wanted: Pick<Wanted, 'name' | 'instance'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await isOurs(docker, wanted, signal))) return false
  try {
    const path = `/networks/${encodeURIComponent(wanted.name)}`
    await unlessMissing(callEngine(docker, { method: 'DELETE', path }, signal))
    return true
  } catch (error) {
    if (!/in use|active endpoints/i.test(wordsOf(error))) throw error
    throw runtimeFailure('in_use', `The network ${wanted.name} is in use.`, error)
  }
}

/** False where there is none; one that Slipway did not make is a failure. */
async function isOurs(docker: Docker, { name, instance }: Wanted | Omit<Wanted, 'org'>, signal: AbortSignal) {
  const path = `/networks/${encodeURIComponent(name)}`
  const found = await unlessMissing(callEngine<NetworkAnswer>(docker, { path }, signal))
  if (!found || found.Name !== name) return false
  // The driver is not told yet in the first moments of a network.
  if (found.Labels?.[LABEL.instance] === instance && found.Scope === 'swarm') return true
  throw runtimeFailure('name_taken', `The engine has a network ${name} that Slipway did not make.`)
}

function isTaken(error: unknown): boolean {
  return statusOf(error) === 409 || /already exists|name conflicts/i.test(wordsOf(error))
}
