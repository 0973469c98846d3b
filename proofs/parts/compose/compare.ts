import { join } from 'node:path'
import type { ComposeProject } from '../../../server/src/source/compose/project.ts'
import { HOME } from './oracle.ts'

/** Keys that Slipway does not honour and that the reference writes in a form of its own. They are warned about. */
const UNTOLD = new Set(['blkio_config', 'develop', 'gw_priority', 'ssh'])

type Dict = Record<string, unknown>

/** The first place where our normal form differs from the reference's, or undefined. */
export const compareProjects = (ours: ComposeProject, theirs: Dict) => difference(asCompose(ours), theirs, [])

function difference(ours: unknown, theirs: unknown, path: string[]): string | undefined {
  const differing = firstOf(ours, theirs, path)
  if (differing !== 'leaf') return differing
  const same = Object.is(ours, theirs) || (path.includes('ulimits') && ours === 0 && isNothing(theirs))
  return same ? undefined : `${path.join('.')}: ours is ${show(ours)}, compose says ${show(theirs)}`
}

function firstOf(ours: unknown, theirs: unknown, path: string[]): string | undefined {
  const lists = Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length
  if (!lists && !(isDict(ours) && isDict(theirs))) return 'leaf'
  const [left, right] = [ours as Dict, theirs as Dict]
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    // Extensions inside of services are ours to keep; the reference leaves them out of its JSON.
    const untold = UNTOLD.has(key) || (key.startsWith('x-') && path.length > 1 && !path[0]?.startsWith('x-'))
    const found = untold ? undefined : difference(own(left, key), own(right, key), [...path, key])
    if (found) return found
  }
  return undefined
}

/** The reference leaves out a limit of zero. */
const isNothing = (value: unknown) => value === undefined || (isDict(value) && Object.keys(value).length === 0)

/** Our paths begin at the root of the tree, the reference's at the root of the machine; sections are left out if empty. */
function asCompose(project: ComposeProject): Dict {
  const file = (one: Dict) => (typeof one.file === 'string' ? { ...one, file: absolute(one.file) } : one)
  const sections = {
    services: each(project.services, serviceAsCompose),
    networks: project.networks,
    volumes: each(project.volumes, volumeAsCompose),
    configs: each(project.configs, file),
    secrets: each(project.secrets, file),
  }
  const said = Object.entries(sections).filter(
    ([name, section]) => name === 'services' || Object.keys(section).length > 0,
  )
  return {
    ...(project as Dict),
    networks: undefined,
    volumes: undefined,
    configs: undefined,
    secrets: undefined,
    ...Object.fromEntries(said),
  }
}

function serviceAsCompose(service: Dict): Dict {
  const { build, volumes } = service as ComposeProject['services'][string]
  const contexts = build?.additional_contexts
  return {
    ...service,
    ...(build && {
      build: {
        ...build,
        context: absolute(build.context),
        ...(contexts && { additional_contexts: each(contexts, absolute) }),
      },
    }),
    ...(volumes && {
      volumes: volumes.map((mount) =>
        mount.type === 'bind' ? { ...mount, source: absolute(mount.source ?? '') } : mount,
      ),
    }),
  }
}

function volumeAsCompose(volume: Dict): Dict {
  const { driver, driver_opts: options } = volume as ComposeProject['volumes'][string]
  if (driver !== 'local' || options?.o !== 'bind') return volume
  return { ...volume, driver_opts: { ...options, device: absolute(options.device ?? '') } }
}

function absolute(path: string): string {
  if (path.startsWith('~')) return join(HOME, path.slice(1))
  return /^\/|:|^github\.com\//.test(path) ? path : path === '.' ? '@' : `@/${path}`
}

const each = <In, Out>(dict: Record<string, In>, change: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(dict).map(([key, value]) => [key, change(value)]))

const isDict = (value: unknown): value is Dict => typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (dict: Dict, key: string) => (Object.hasOwn(dict, key) ? dict[key] : undefined)
const show = (value: unknown) => JSON.stringify(value)?.slice(0, 200) ?? 'nothing'
