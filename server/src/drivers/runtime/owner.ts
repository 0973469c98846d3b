import type Docker from 'dockerode'
import { callEngine, unlessMissing, wordsOf } from './ask.ts'
import { RuntimeFailure } from './failure.ts'
import { LABEL } from './labels.ts'

/** Whom an engine serves, as the mark on it says, and which engine it is. */
export type EngineOwner = { org: string | null; engineId: string | null }

type ConfigAnswer = { ID: string; Spec: { Name: string; Labels?: Record<string, string> } }
type ClusterAnswer = { Swarm?: { Cluster?: { ID?: string } } }
type Mark = { instance: string; org: string }

// Applications of one server reach each other over the edge's network, so a server carries one organization. Two server
// rows may lead to one engine by different addresses: only the engine itself can tell. Its mark is a Swarm config, whose
// name is unique in the whole cluster: of two who come at the same moment, one is first.
const markName = (instance: string) => `${instance}-owner`

export async function readOwner(docker: Docker, instance: string, signal: AbortSignal): Promise<EngineOwner> {
  const [mark, info] = await Promise.all([
    findMark(docker, instance, signal),
    callEngine<ClusterAnswer>(docker, { path: '/info' }, signal),
  ])
  return { org: mark?.Spec.Labels?.[LABEL.org] ?? null, engineId: info.Swarm?.Cluster?.ID || null }
}

/** Marks a free engine, finds one of the organization's own, refuses another's. */
export async function claimEngine(docker: Docker, wanted: Mark, signal: AbortSignal): Promise<EngineOwner> {
  const { instance, org } = wanted
  let owner = await readOwner(docker, instance, signal)
  if (owner.org === null) {
    const Labels = { [LABEL.instance]: instance, [LABEL.org]: org }
    const body = { Name: markName(instance), Labels, Data: Buffer.from(org).toString('base64') }
    await callEngine(docker, { method: 'POST', path: '/configs/create', body }, signal).catch((error) => {
      if (!/already exists|name conflicts/i.test(wordsOf(error))) throw error
    })
    owner = await readOwner(docker, instance, signal)
  }
  if (owner.org === org) return owner
  throw new RuntimeFailure('engine_taken', 'The engine of this server serves another organization.')
}

/** Takes the organization's own mark away; another's stays. */
export async function disownEngine(docker: Docker, { instance, org }: Mark, signal: AbortSignal): Promise<void> {
  const mark = await findMark(docker, instance, signal)
  if (mark?.Spec.Labels?.[LABEL.org] !== org) return
  await unlessMissing(callEngine(docker, { method: 'DELETE', path: `/configs/${mark.ID}` }, signal))
}

async function findMark(docker: Docker, instance: string, signal: AbortSignal): Promise<ConfigAnswer | undefined> {
  const query = { filters: { name: [markName(instance)] } }
  const found = await callEngine<ConfigAnswer[]>(docker, { path: '/configs', query }, signal)
  // The filter takes every name that begins like this.
  return found.find(({ Spec }) => Spec.Name === markName(instance))
}
