import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface Hierarchy {
  mountpoint: string
  unified: boolean
  cpuset: boolean
  /** Where processor time is shared out, on a v1 machine. */
  shares: boolean
  /** Mount options that name this hierarchy, for mounting it again inside a machine. */
  options: string
  /** The folder of the cgroup this process is in. */
  own: string
}

let found: Hierarchy[] | undefined

/** The machine's cgroup hierarchies: one on a v2 machine, several on v1 and mixed ones. */
export function hierarchies(): Hierarchy[] {
  found ??= readHierarchies()
  return found
}

function readHierarchies(): Hierarchy[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n').map(membership)
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n').flatMap(cgroupMount)
  const list = mounts.map((mount): Hierarchy => {
    const mine = own.find((entry) =>
      mount.unified ? entry.id === '0' : entry.id !== '0' && entry.names.every((name) => mount.names.includes(name)),
    )
    return {
      mountpoint: mount.mountpoint,
      unified: mount.unified,
      cpuset: !mount.unified && mount.names.includes('cpuset'),
      shares: !mount.unified && mount.names.includes('cpu'),
      options: mine?.names.some((name) => name.includes('=')) ? `none,${mine.names}` : (mine?.names.join(',') ?? ''),
      own: join(mount.mountpoint, relative(mount.root, mine?.path ?? '/')),
    }
  })
  if (list.length === 0) throw new Error('no cgroup file system is mounted; the lab needs one at /sys/fs/cgroup')
  return list
}

function membership(line: string): { id: string; names: string[]; path: string } {
  const [id = '', names = '', ...path] = line.split(':')
  return { id, names: names.split(','), path: path.join(':') }
}

function cgroupMount(line: string) {
  const [place = '', kind = ''] = line.split(' - ')
  const [type = '', , options = ''] = kind.split(' ')
  const [, , , root = '/', mountpoint = ''] = place.split(' ')
  if (type !== 'cgroup' && type !== 'cgroup2') return []
  return [{ root, mountpoint, unified: type === 'cgroup2', names: options.split(',') }]
}
