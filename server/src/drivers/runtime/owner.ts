import type Docker from 'dockerode'
import { callEngine, statusOf, unlessMissing, wordsOf } from '../engine/ask.ts'
import { runtimeFailure } from './failure.ts'
import { LABEL } from './labels.ts'

/** Whom an engine serves, as the mark on it says, and which engine it is. */
export type EngineOwner = {
  /** Of this instance; null where it serves nobody, or `foreign`. */
  org: string | null
  engineId: string | null
  /** The id of another instance, whose mark bears our name: of a copy of ours, or of one that was there before. */
  foreign: string | null
}

type ConfigAnswer = {
  ID: string
  Version: { Index: number }
  Spec: { Name: string; Labels?: Record<string, string>; Data?: string }
}
type ClusterAnswer = { Swarm?: { Cluster?: { ID?: string } } }

/** `instance` is a name, and may be another one's too; `id` is ours alone. Without an id nobody is told apart by it. */
export type InstanceMark = { instance: string; id?: (() => Promise<string>) | undefined }
type Mark = InstanceMark & { org: string }

// Applications of one server reach each other over the edge's network, so a server carries one organization. Two server
// rows may lead to one engine by different addresses: only the engine itself can tell. Its mark is a Swarm config, whose
// name is unique in the whole cluster: of two who come at the same moment, one is first.
const markName = (instance: string) => `${instance}-owner`

export async function readOwner(docker: Docker, us: InstanceMark, signal: AbortSignal): Promise<EngineOwner> {
  const [mark, info] = await Promise.all([
    findMark(docker, us.instance, signal),
    callEngine<ClusterAnswer>(docker, { path: '/info' }, signal),
  ])
  const foreign = await foreignIn(mark, us)
  const org = foreign === null ? (mark?.Spec.Labels?.[LABEL.org] ?? null) : null
  return { org, engineId: info.Swarm?.Cluster?.ID || null, foreign }
}

/** Marks a free engine, finds one of the organization's own, refuses another's. */
export async function claimEngine(docker: Docker, wanted: Mark, signal: AbortSignal): Promise<EngineOwner> {
  await ensureMark(docker, wanted, signal)
  const owner = await readOwner(docker, wanted, signal)
  if (owner.foreign !== null) throw taken(owner.foreign)
  if (owner.org === wanted.org) return owner
  throw runtimeFailure('engine_taken', 'The engine of this server serves another organization.')
}

/** A mark of the organization's own that was made before instances had ids gets ours; of two who want to, one is first. */
async function ensureMark(docker: Docker, { instance, id, org }: Mark, signal: AbortSignal): Promise<void> {
  const own: Record<string, string> = id ? { [LABEL.instanceId]: await id() } : {}
  const mark = await findMark(docker, instance, signal)
  const labels = mark?.Spec.Labels ?? {}
  if (mark && (labels[LABEL.org] !== org || labels[LABEL.instanceId] !== undefined || !id)) return
  const Labels = { ...labels, [LABEL.instance]: instance, [LABEL.org]: org, ...own }
  const request = mark
    ? { path: `/configs/${mark.ID}/update`, query: { version: mark.Version.Index }, body: { ...mark.Spec, Labels } }
    : { path: '/configs/create', body: { Name: markName(instance), Labels, Data: Buffer.from(org).toString('base64') } }
  await callEngine(docker, { method: 'POST', ...request }, signal).catch((error) => {
    if (!/already exists|name conflicts|out of sequence/i.test(wordsOf(error))) throw error
  })
}

/** The second lock on every write: what bears our name on the engine of another instance is not ours. */
export async function requireOwn(docker: Docker, us: InstanceMark, signal: AbortSignal): Promise<void> {
  if (!us.id) return
  const foreign = await foreignIn(await findMark(docker, us.instance, signal), us)
  if (foreign !== null) throw taken(foreign)
}

/** Takes the organization's own mark away; another's stays. */
export async function disownEngine(docker: Docker, us: Mark, signal: AbortSignal): Promise<void> {
  const mark = await findMark(docker, us.instance, signal)
  if (mark?.Spec.Labels?.[LABEL.org] !== us.org || (await foreignIn(mark, us)) !== null) return
  await unlessMissing(callEngine(docker, { method: 'DELETE', path: `/configs/${mark.ID}` }, signal))
}

/** An operator says that whoever had this engine is gone for good. */
export async function seizeEngine(docker: Docker, us: Mark, signal: AbortSignal): Promise<EngineOwner> {
  const mark = await findMark(docker, us.instance, signal)
  if (mark) await unlessMissing(callEngine(docker, { method: 'DELETE', path: `/configs/${mark.ID}` }, signal))
  return claimEngine(docker, us, signal)
}

const taken = (by: string) =>
  runtimeFailure('engine_foreign', `The engine of this server serves another instance of Slipway, ${by}.`)

/** The mark among an engine's configs: a filter by name takes every name that begins like it. */
export const markIn = <Config extends { Spec: { Name: string } }>(configs: Config[], instance: string) =>
  configs.find(({ Spec }) => Spec.Name === markName(instance))

export const marksOf = (instance: string) => ({ name: [markName(instance)] })

/** Whose mark it is, where it is another instance's. */
export async function foreignIn(
  mark: { Spec: { Labels?: Record<string, string> } } | undefined,
  { id }: InstanceMark,
): Promise<string | null> {
  const marked = mark?.Spec.Labels?.[LABEL.instanceId]
  return marked === undefined || !id || marked === (await id()) ? null : marked
}

async function findMark(docker: Docker, instance: string, signal: AbortSignal): Promise<ConfigAnswer | undefined> {
  const query = { filters: marksOf(instance) }
  const found = await callEngine<ConfigAnswer[]>(docker, { path: '/configs', query }, signal).catch((error) => {
    // No manager of a Swarm: nothing can be marked, and what needs a mark says so itself.
    if (statusOf(error) === 503) return []
    throw error
  })
  return markIn(found, instance)
}
