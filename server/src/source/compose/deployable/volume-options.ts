import { posix } from 'node:path'
import { at, fault, type Place, quoted } from '../faults.ts'
import { bytesOf } from '../forms/amounts.ts'
import type { NormalVolume } from '../project.ts'
import type { MemoryVolume } from './service.ts'

/**
 * What a volume asks for with its driver and `driver_opts`. An allowlist: the engine hands these options to mount(2), where
 * one word (`rbind`, `remount`) turns a volume into any folder of the server. So no option is passed on as it is written;
 * whatever is not exactly one of the three forms is refused.
 */
export type VolumeForm =
  | { kind: 'disk' }
  | { kind: 'memory'; memory: MemoryVolume }
  /** A folder in disguise: `{type: none, o: bind, device: …}`. Whether it may be mounted is decided like any other bind. */
  | { kind: 'folder'; source: string; readOnly: boolean }

const KNOWN = new Set(['type', 'device', 'o'])

export function volumeForm(volume: NormalVolume, place: Place): VolumeForm {
  const { driver, driver_opts: options = {} } = volume
  if (driver !== undefined && driver !== 'local') {
    throw fault(at(place, 'driver'), `there is no volume driver ${quoted(driver)}`, 'Leave the driver out.')
  }
  if (Object.keys(options).length === 0) return { kind: 'disk' }
  const { type = '', device, o } = options
  const words = o === undefined ? [] : o.split(',')
  const odd = Object.keys(options).find((key) => !KNOWN.has(key))
  if (odd !== undefined) throw refused(place, `${quoted(odd)} is not an option that a volume can have`)
  if (type === 'tmpfs' && (device === undefined || device === 'tmpfs')) {
    return { kind: 'memory', memory: memoryOf(words, at(place, 'driver_opts', 'o')) }
  }
  if ((type === '' || type === 'none') && device !== undefined && words.includes('bind')) {
    return folderOf({ device, words, driver }, place)
  }
  throw refused(place, whyNot(type))
}

function whyNot(type: string): string {
  if (/^(nfs4?|cifs|smb3)$/.test(type)) return 'storage of other machines cannot be mounted'
  return 'a device of the server cannot be mounted'
}

const refused = (place: Place, what: string) =>
  fault(
    at(place, 'driver_opts'),
    what,
    'Remove driver_opts: the volume is then kept on the server. {type: tmpfs, device: tmpfs, o: "size=64m"} keeps it in memory.',
  )

type Folder = { device: string; words: string[]; driver: string | undefined }

function folderOf({ device, words, driver }: Folder, place: Place): VolumeForm {
  const odd = words.find((word) => !['bind', 'ro', 'rw'].includes(word))
  if (odd !== undefined) throw refused(place, `${quoted(odd)} is not an option of a folder`)
  // The reader has led it into the source only in this one form, as docker compose does.
  if (!/^[/~]/.test(device) && (driver !== 'local' || words.join() !== 'bind')) {
    throw refused(place, `${quoted(device)} needs driver: local and o: bind to be a folder of the source`)
  }
  return { kind: 'folder', source: posix.normalize(device), readOnly: words.includes('ro') }
}

const MIB = 1024 * 1024
/** Pages of a volume outlive the container that wrote them, and with it the limit that they were counted to. */
const MOST_BYTES = 4096 * MIB
const MOST_INODES = 1_000_000
const USUAL_BYTES = 256 * MIB

const IGNORED = new Set(['', 'rw', 'nosuid', 'nodev'])

function memoryOf(words: string[], place: Place): MemoryVolume {
  const memory: MemoryVolume = { sizeBytes: USUAL_BYTES }
  for (const word of words) {
    if (IGNORED.has(word)) continue
    const [, name = word, value] = /^(\w+)=(\w+)$/.exec(word) ?? []
    const number = value === undefined ? undefined : numberOf(name, value)
    if (word === 'ro') memory.readOnly = true
    else if (word === 'noexec') memory.noExec = true
    else if (number !== undefined && name === 'size') memory.sizeBytes = number
    else if (number !== undefined && name === 'nr_inodes') memory.inodes = number
    else if (number !== undefined && (name === 'mode' || name === 'uid' || name === 'gid')) memory[name] = number
    else throw fault(place, `${quoted(word)} is not an option of a volume in memory`, HINT)
  }
  return memory
}

const HINT = `Use size, mode, uid, gid, nr_inodes, ro and noexec; at most ${MOST_BYTES / MIB} MiB and ${MOST_INODES} inodes.`

/** Undefined where the number cannot be had. */
function numberOf(name: string, value: string): number | undefined {
  if (name === 'size') return within(bytesOf(value), 1, MOST_BYTES)
  if (name === 'mode') return /^[0-7]{1,4}$/.test(value) ? Number.parseInt(value, 8) : undefined
  const plain = /^\d{1,10}$/.test(value) ? Number(value) : undefined
  if (name === 'nr_inodes') return within(plain, 1, MOST_INODES)
  return within(plain, 0, 2 ** 31)
}

const within = (number: number | undefined, least: number, most: number) =>
  number !== undefined && number >= least && number <= most ? number : undefined
