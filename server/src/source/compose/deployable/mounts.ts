import { posix } from 'node:path'
import { at, fault, type Place, quoted } from '../faults.ts'
import { bytesOf } from '../forms/amounts.ts'
import type { ComposeProject, NormalMount, NormalService } from '../project.ts'
import type { ComposeMount, Trust } from './service.ts'
import { volumeForm } from './volume-options.ts'

/** Read-only clocks of the server tell nobody anything, and many stacks mount them. */
const HARMLESS = new Set(['/etc/localtime', '/etc/timezone'])

const MOST_MOUNTS = 200

export type MountView = {
  place: Place
  trust: Trust
  /** The mounts of services that come before in the order of the project. */
  known: ReadonlyMap<string, ComposeMount[]>
  warn(key: string, message: string): void
}

/** Everything a service sees in its file system besides its image. */
export function mountsOf(name: string, project: ComposeProject, view: MountView): ComposeMount[] {
  const service = project.services[name] as NormalService
  const own = (service.volumes ?? []).map((mount, n) =>
    mountOf(mount, name, project.volumes, { ...view, place: at(view.place, 'volumes', n) }),
  )
  const memory = (service.tmpfs ?? []).map((spec) => tmpfsOf(spec, view))
  const shared = service.shm_size === undefined ? [] : [sharedMemory(service.shm_size)]
  const mounts: ComposeMount[] = [...own, ...memory, ...shared]
  const taken = new Set(mounts.map(({ target }) => target))
  for (const mount of borrowedBy(service, view)) {
    if (!taken.has(mount.target)) mounts.push(mount)
    taken.add(mount.target)
  }
  if (mounts.length > MOST_MOUNTS)
    throw fault(view.place, `it has more than ${MOST_MOUNTS} mounts`, 'Mount fewer folders.')
  return mounts
}

function mountOf(
  mount: NormalMount,
  service: string,
  volumes: ComposeProject['volumes'],
  view: MountView,
): ComposeMount {
  const { type, source = '', target, read_only: readOnly = false } = mount
  if (!target.startsWith('/')) {
    throw fault(view.place, `${quoted(target)} is not a path inside of the container`, 'Begin the target with a slash.')
  }
  for (const key of ['propagation', 'recursive', 'selinux'] as const) {
    if (mount.bind?.[key] !== undefined) view.warn(`volumes.bind.${key}`, `${target} is mounted without it.`)
  }
  if (type === 'tmpfs') {
    const { size, mode = null } = mount.tmpfs ?? {}
    return { kind: 'tmpfs', target, sizeBytes: size === undefined ? null : Number(size), mode }
  }
  if (type === 'bind') return bindOf({ source, target, readOnly }, view)
  if (type !== 'volume') throw fault(view.place, `mounts of the type ${quoted(type)} cannot be made`, 'Use a volume.')
  const { nocopy = false, subpath = null } = mount.volume ?? {}
  const named = volumes[source]
  const form = named && volumeForm(named, { file: '', path: ['volumes', source] })
  if (form?.kind === 'folder') return bindOf({ source: form.source, target, readOnly: readOnly || form.readOnly }, view)
  const volume = source === '' ? anonymous(service, target, view) : source
  return { kind: 'volume', volume, target, readOnly, copy: !nocopy, subpath }
}

/** Compose keeps such a volume from one container to the next; so do we, under a name that stays. */
function anonymous(service: string, target: string, { warn }: MountView): string {
  const name = `${service}${target}`.replaceAll(/[^a-zA-Z0-9.]+/g, '-').replace(/-$/, '')
  warn('volumes', `The volume at ${target} has no name; it is kept as ${name}.`)
  return name
}

type Bind = { source: string; target: string; readOnly: boolean }

function bindOf(bind: Bind, view: MountView): ComposeMount {
  const { source, readOnly } = bind
  if (!/^([/~]|[a-zA-Z]:[\\/])/.test(source)) return { kind: 'bind', ...bind }
  const allowed = view.trust.hostPaths ?? []
  const below = (folder: string) => source === folder || source.startsWith(`${folder.replace(/\/$/, '')}/`)
  const trusted = source.startsWith('/') && allowed.map((path) => posix.normalize(path)).some(below)
  if (trusted || (readOnly && HARMLESS.has(source))) return { kind: 'host', ...bind }
  throw fault(
    view.place,
    `${quoted(source)} is a path of the server, which a project may not mount`,
    'Use a named volume for data, or a relative path for files of the source. The operator can allow folders of the server.',
  )
}

/** `/run:size=64m,mode=1777` */
function tmpfsOf(spec: string, { place, warn }: MountView): ComposeMount {
  const [target = '', options = ''] = spec.split(':')
  if (!target.startsWith('/'))
    throw fault(at(place, 'tmpfs'), `${quoted(spec)} is not a path`, 'Begin it with a slash.')
  let sizeBytes: number | null = null
  let mode: number | null = null
  for (const option of options.split(',').filter((one) => one !== '' && one !== 'rw')) {
    const [name, value = ''] = option.split('=')
    if (name === 'size') sizeBytes = bytesOf(value) ?? null
    else if (name === 'mode') mode = Number.parseInt(value, 8)
    else warn('tmpfs', `${target} is mounted without ${quoted(option)}.`)
  }
  return { kind: 'tmpfs', target: posix.normalize(target), sizeBytes, mode: Number.isNaN(mode) ? null : mode }
}

const sharedMemory = (size: string): ComposeMount => ({
  kind: 'tmpfs',
  target: '/dev/shm',
  sizeBytes: Number(size),
  mode: 0o1777,
})

function borrowedBy(service: NormalService, view: MountView): ComposeMount[] {
  const specs = Array.isArray(service.volumes_from) ? service.volumes_from.map(String) : []
  return specs.flatMap((spec) => {
    const [name = '', access] = spec.split(':')
    if (name === 'container') {
      throw fault(at(view.place, 'volumes_from'), 'containers outside of the project cannot be used', 'Name a service.')
    }
    const mounts = (view.known.get(name) ?? []).filter(({ kind }) => kind !== 'tmpfs')
    return mounts.map((mount) => (access === 'ro' ? ({ ...mount, readOnly: true } as ComposeMount) : mount))
  })
}
