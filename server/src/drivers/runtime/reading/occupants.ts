import type Docker from 'dockerode'
import { askEngine, unlessMissing } from '../../engine/ask.ts'
import { LABEL } from '../labels.ts'
import { dict, flag, list, number, text, textDict } from './plain.ts'
import { readContainer } from './read-container.ts'
import { readService } from './read-service.ts'
import { sideBySide } from './side-by-side.ts'

/** What a service is to use where it is. `project`: whose own services are not meant. */
export type Wanted = { project: string; volumes: string[]; paths: string[]; ports: number[] }

/** A container or a Swarm service that Slipway did not make, and that has some of it. */
export type Occupant = {
  kind: 'container' | 'service'
  name: string
  /** Of a container: as the engine calls it. Of a service: `running` while it has any replica. */
  state: string
  exitCode: number
  restart: string
  /** In words: "the volume data", "port 5432". */
  holds: string[]
}

export type Occupancy = {
  /** Which engine it is. */
  engineId: string
  /** Volumes that are not there. */
  missing: string[]
  occupants: Occupant[]
}

const WIDTH = 8

export async function occupantsOf(
  docker: Docker,
  wanted: Wanted & { instance: string },
  signal: AbortSignal,
): Promise<Occupancy> {
  const ask = (path: string) => askEngine<unknown>(docker, path, signal)
  const [info, containers, services] = await Promise.all([
    ask('/info'),
    containersHolding(ask, wanted),
    servicesHolding(ask, wanted),
  ])
  const missing: string[] = []
  for (const name of new Set(wanted.volumes))
    if ((await unlessMissing(ask(`/volumes/${encodeURIComponent(name)}`))) === undefined) missing.push(name)
  return { engineId: text(dict(info).ID), missing, occupants: [...services, ...containers] }
}

type Ask = (path: string) => Promise<unknown>

/** Ours are known by their labels: of this project, and of others, which have none of it. */
const isOurs = (labels: Record<string, string>, { instance }: { instance: string }) =>
  labels[LABEL.instance] === instance

async function containersHolding(ask: Ask, wanted: Wanted & { instance: string }): Promise<Occupant[]> {
  const listed = list(await ask('/containers/json?all=1')).map(dict)
  const suspects = listed.filter(({ Labels, Mounts, Ports, State }) => {
    const labels = textDict(Labels)
    if (isOurs(labels, wanted) || labels['com.docker.swarm.service.id'] !== undefined) return false
    const mounts = list(Mounts).map((one) => mountHeld(dict(one), wanted))
    const open = list(Ports).some((one) => wanted.ports.includes(number(dict(one).PublicPort)))
    // Of one that does not run, the list does not tell which ports it wants.
    return mounts.some((held) => held !== null) || open || (wanted.ports.length > 0 && text(State) !== 'running')
  })
  const found = await sideBySide(suspects, WIDTH, async ({ Id }) => {
    const raw = await unlessMissing(ask(`/containers/${encodeURIComponent(text(Id))}/json`))
    if (raw === undefined) return null
    const { name, mounts, host, state } = readContainer(raw)
    const held = mounts.map(({ kind, name: Name, source: Source, writable: RW }) =>
      mountHeld({ Type: kind, Name, Source, RW }, wanted),
    )
    const ports = host.ports
      .filter(({ published }) => wanted.ports.includes(Number(published)))
      .map(({ published }) => `port ${published}`)
    const holds = [...new Set([...held.flatMap((one) => one ?? []), ...ports])]
    const restart = host.restart.name
    return holds.length === 0
      ? null
      : { kind: 'container' as const, name, state: state.status, exitCode: state.exitCode, restart, holds }
  })
  return found.filter((one) => one !== null)
}

async function servicesHolding(ask: Ask, wanted: Wanted & { instance: string }): Promise<Occupant[]> {
  // Only a manager of a Swarm knows any.
  const raw = await ask('/services').catch(() => [])
  return list(raw)
    .map(readService)
    .filter(({ labels }) => !isOurs(labels, wanted))
    .flatMap(({ name, mounts, host, mode, replicas }) => {
      const held = mounts.map(({ kind, name: Name, source: Source, writable: RW }) =>
        mountHeld({ Type: kind, Name, Source, RW }, wanted),
      )
      const ports = host.ports
        .filter(({ published }) => wanted.ports.includes(Number(published)))
        .map(({ published }) => `port ${published}`)
      const holds = [...new Set([...held.flatMap((one) => one ?? []), ...ports])]
      const state = mode === 'global' || replicas > 0 ? 'running' : 'stopped'
      return holds.length === 0
        ? []
        : [{ kind: 'service' as const, name, state, exitCode: 0, restart: 'always', holds }]
    })
}

/** What somebody else may write to. */
function mountHeld({ Type, Name, Source, RW }: Record<string, unknown>, { volumes, paths }: Wanted): string | null {
  if (!flag(RW)) return null
  if (Type === 'volume') return volumes.includes(text(Name)) ? `the volume ${text(Name)}` : null
  const source = text(Source)
  const touched = paths.find(
    (path) => path === source || path.startsWith(`${source}/`) || source.startsWith(`${path}/`),
  )
  return Type === 'bind' && touched !== undefined ? `the path ${touched}` : null
}
