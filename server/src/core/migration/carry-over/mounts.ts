import { posix } from 'node:path'
import type { FoundContainer, FoundVolume } from '../../../drivers/runtime/reading/found.ts'
import { shown, type Tell } from './verdict.ts'

/** What is on the server and is used where it is: by adoption a project is granted exactly this. */
export type InPlace = { target: string; readOnly: boolean } & (
  | { kind: 'volume'; source: string; device: string | null; anonymous: boolean; copy: boolean; subpath: string | null }
  | { kind: 'path'; source: string }
)
export type Tmpfs = { kind: 'tmpfs'; target: string; sizeBytes: number | null; mode: number | null }

type Around = {
  volumes: ReadonlyMap<string, FoundVolume>
  /** Where the engine keeps its own data. */
  rootDir: string
  socketPath: string
}

export const isAnonymous = (volume: FoundVolume | undefined, name: string) =>
  volume?.labels['com.docker.volume.anonymous'] !== undefined || /^[0-9a-f]{64}$/.test(name)

export function mountsOf(found: FoundContainer, around: Around, tell: Tell): { inPlace: InPlace[]; memory: Tmpfs[] } {
  const inPlace: InPlace[] = []
  const memory = memoryOf(found, tell)
  for (const mount of found.mounts) {
    const { kind, source, target, writable, propagation } = mount
    if (kind === 'volume') inPlace.push(...volumeOf(found, mount, around, tell))
    else if (kind === 'bind') {
      const why = unsafePath(source, around)
      if (why !== null) tell.refuse('volumes', why)
      if (!['', 'rprivate', 'private'].includes(propagation))
        tell.warn(
          'volumes',
          `${shown(target)} is mounted without ${shown(propagation)}: what is mounted below it later is not seen.`,
        )
      inPlace.push({ kind: 'path', source: plainPath(source), target, readOnly: !writable })
    } else if (kind !== 'tmpfs')
      tell.refuse('volumes', `It has a mount of the type ${shown(kind)} at ${shown(target)}.`)
  }
  return { inPlace, memory }
}

const VOLUME_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/

function volumeOf(
  found: FoundContainer,
  mount: FoundContainer['mounts'][number],
  around: Around,
  tell: Tell,
): InPlace[] {
  const { name, target, writable, driver } = mount
  const volume = around.volumes.get(name)
  const anonymous = isAnonymous(volume, name)
  const device = volume?.options.device ?? null
  if (!VOLUME_NAME.test(name)) {
    tell.refuse('volumes', `The volume at ${shown(target)} has no name that it could be found by.`)
    return []
  }
  // Those of a platform belong to projects of it; mounting them elsewhere would hand their data out.
  if (volume?.labels['slipway.instance'] !== undefined)
    tell.refuse('volumes', `The volume ${name} belongs to a project of Slipway already.`)
  const why = device?.startsWith('/') ? unsafePath(device, around) : null
  if (why !== null) tell.refuse('volumes', `The volume ${name} is a folder of the server in disguise. ${why}`)
  else if (device !== null)
    tell.warn(
      'volumes',
      `The volume ${name} is ${shown(volume?.options.type || 'a mount')} of ${shown(device)}, which must stay there.`,
    )
  if (driver !== '' && driver !== 'local')
    tell.warn('volumes', `The volume ${name} belongs to the driver ${shown(driver)}, which must stay installed.`)
  if (anonymous && found.host.autoRemove)
    tell.refuse(
      'volumes',
      `The volume at ${shown(target)} is deleted as soon as its container stops (--rm): copy its data first.`,
    )
  else if (anonymous)
    tell.warn(
      'volumes',
      `The volume at ${shown(target)} has no name: docker rm -v, compose down -v and docker volume prune delete it. Stop the old container, do not remove it.`,
    )
  const asked = found.host.mountsAsked.find((one) => one.target === target)
  const more = { copy: asked?.noCopy !== true, subpath: asked?.subpath ?? null }
  return [{ kind: 'volume', source: name, device, target, readOnly: !writable, anonymous, ...more }]
}

/** Whoever may write here, owns the server: the folders themselves, not what people keep below them. */
const WHOLE = /^\/(|bin|sbin|lib|lib32|lib64|home|opt|srv|mnt|media|var|var\/lib|var\/log|tmp|data)$/
/** And here everything below as well. */
const SYSTEM =
  /^\/(boot|dev|etc|proc|root\/\.ssh|run|sys|usr|var\/run|var\/spool|var\/lib\/(docker|containerd|kubelet))(\/|$)|\/\.ssh(\/|$)/
const SOCKET = /\/(docker|containerd|podman|crio|buildkitd)[^/]*\.sock$/

/** Why a path of the server cannot be granted; null where it can. */
export function unsafePath(
  source: string,
  { rootDir, socketPath }: Pick<Around, 'rootDir' | 'socketPath'>,
): string | null {
  const path = plainPath(source)
  const said = shown(path)
  if (!path.startsWith('/') || path.includes('\0')) return `It has ${said} of the server, which is no path.`
  if (SOCKET.test(path) || path === socketPath)
    return `It has the engine’s socket ${said}, and with it the whole server.`
  // What is below of a place that is above of another: both ways.
  const touches = (other: string) =>
    other !== '' &&
    (path === other || `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(path === '/' ? '/' : `${path}/`))
  if (touches(rootDir) || touches(socketPath)) return `It has ${said} of the server, where the engine keeps its own.`
  if (ALLOWED.has(path)) return null
  if (WHOLE.test(path) || path === '/root' || SYSTEM.test(path))
    return `It has ${said}, a folder of the server’s own system.`
  return null
}

/** As the driver takes it: without dots, and without a slash at its end. */
const plainPath = (path: string) => posix.normalize(path).replace(/(.)\/$/, '$1')

/** What people mount to have the server's time; it is the same for everyone. */
const ALLOWED = new Set(['/etc/localtime', '/etc/timezone'])

function memoryOf({ host, mounts }: FoundContainer, { warn }: Tell): Tmpfs[] {
  const memory: Tmpfs[] = mounts
    .filter(({ kind, target }) => kind === 'tmpfs' && !(target in host.tmpfs))
    .map(({ target }) => {
      const asked = host.mountsAsked.find((one) => one.target === target)
      return { kind: 'tmpfs', target, sizeBytes: asked?.sizeBytes || null, mode: asked?.mode || null }
    })
  for (const [target, options] of Object.entries(host.tmpfs)) {
    const [, digits, unit = ''] = /(?:^|,)size=(\d+)([kmg]?)/i.exec(options) ?? []
    const [, mode] = /(?:^|,)mode=([0-7]{1,5})/.exec(options) ?? []
    const rest = options.split(',').filter((one) => one !== '' && one !== 'rw' && !/^(size|mode)=/.test(one))
    if (rest.length > 0) warn('tmpfs', `${shown(target)} is mounted without ${shown(rest.join(', '))}.`)
    const sizeBytes = digits === undefined ? null : Number(digits) * 1024 ** UNITS.indexOf(unit.toLowerCase())
    memory.push({ kind: 'tmpfs', target, sizeBytes, mode: mode === undefined ? null : Number.parseInt(mode, 8) })
  }
  if (host.shmBytes > 0 && host.shmBytes !== USUAL_SHM)
    memory.push({ kind: 'tmpfs', target: '/dev/shm', sizeBytes: host.shmBytes, mode: 0o1777 })
  return memory
}

const UNITS = ['', 'k', 'm', 'g']
const USUAL_SHM = 64 * 1024 ** 2
