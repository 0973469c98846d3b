import { statusOf } from '../../engine/ask.ts'
import { LABEL } from '../labels.ts'
import { foreignIn, type InstanceMark, markIn, marksOf } from '../owner.ts'
import { readContainers } from './containers.ts'
import type { FoundEngine, FoundImage } from './found.ts'
import type { GetJson } from './get-json.ts'
import { dict, flag, list, number, text, textDict, texts } from './plain.ts'
import { readConfig } from './read-config.ts'
import { readService } from './read-service.ts'
import type { ServerReader } from './server-reader.ts'
import { sideBySide } from './side-by-side.ts'

const WIDTH = 16

type Questions = Omit<
  ServerReader,
  'listening' | 'programAt' | 'at' | 'explain' | 'close' | 'procFile' | 'files' | 'cost'
>

/** What can be asked of an engine, each with GET. */
export function questions(get: GetJson, us: InstanceMark, signal: AbortSignal): Questions {
  let total = 0
  return {
    async engine() {
      const found = readEngine(dict(await get('/info')))
      total = found.containers
      return found
    },
    containers: (most) => readContainers(get, most, total),
    images: (references) => readImages(get, references),
    volumes: async () => list(dict(await get('/volumes')).Volumes).map(readVolume),
    networks: async () =>
      list(await get('/networks')).map((raw) => {
        const { Id, Name, Driver, Internal } = dict(raw)
        return { id: text(Id), name: text(Name), driver: text(Driver), internal: flag(Internal) }
      }),
    owner: () => readOwner(get, us),
    services: async () => list(await get('/services')).map(readService),
    volumeSizes: (deadlineMs) => readSizes(get, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]), signal),
  }
}

function readEngine(info: Record<string, unknown>): FoundEngine {
  const swarm = dict(info.Swarm)
  const state = text(swarm.LocalNodeState) || 'inactive'
  const manager = state === 'active' && flag(swarm.ControlAvailable)
  return {
    id: text(info.ID),
    version: text(info.ServerVersion),
    os: text(info.OperatingSystem),
    swarm: state,
    manager,
    nodes: manager ? number(swarm.Nodes) : null,
    liveRestore: flag(info.LiveRestoreEnabled),
    rootless: texts(info.SecurityOptions).some((option) => option.includes('rootless')),
    rootDir: text(info.DockerRootDir),
    containers: number(info.Containers),
  }
}

async function readOwner(get: GetJson, us: InstanceMark) {
  const filters = encodeURIComponent(JSON.stringify(marksOf(us.instance)))
  const configs = list(await get(`/configs?filters=${filters}`)).map((raw) => {
    const { Name, Labels } = dict(dict(raw).Spec)
    return { Spec: { Name: text(Name), Labels: textDict(Labels) } }
  })
  const mark = markIn(configs, us.instance)
  const foreign = await foreignIn(mark, us)
  return { org: foreign === null ? (mark?.Spec.Labels[LABEL.org] ?? null) : null, foreign }
}

function readVolume(raw: unknown) {
  const { Name, Driver, Labels, Options } = dict(raw)
  return { name: text(Name), driver: text(Driver), labels: textDict(Labels), options: textDict(Options) }
}

async function readImages(get: GetJson, references: string[]): Promise<Map<string, FoundImage | null>> {
  const found = new Map<string, FoundImage | null>()
  await sideBySide([...new Set(references)].filter(isReference), WIDTH, async (reference) => {
    const one = await get(`/images/${reference.split('/').map(encodeURIComponent).join('/')}/json`).catch((error) => {
      // 400: what somebody called it is no name.
      if (statusOf(error) === 404 || statusOf(error) === 400) return null
      throw error
    })
    const { Id, RepoTags, RepoDigests, Config } = dict(one)
    const read = () => ({
      id: text(Id),
      tags: texts(RepoTags),
      digests: texts(RepoDigests),
      config: readConfig(Config),
    })
    found.set(reference, one === null ? null : read())
  })
  return found
}

/** It becomes part of a path: dots or nothing between two slashes would lead elsewhere. */
const isReference = (reference: string) =>
  reference.length <= 500 && reference.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

async function readSizes(get: GetJson, hurry: AbortSignal, signal: AbortSignal): Promise<Map<string, number> | null> {
  try {
    const answer = dict(await get('/system/df?type=volume', { signal: hurry }))
    return new Map(
      list(answer.Volumes).flatMap((raw): [string, number][] => {
        const { Name, UsageData } = dict(raw)
        const size = number(dict(UsageData).Size)
        return size < 0 ? [] : [[text(Name), size]]
      }),
    )
  } catch (error) {
    signal.throwIfAborted()
    if (hurry.aborted) return null
    throw error
  }
}
