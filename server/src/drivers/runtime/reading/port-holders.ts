import { listeningPorts } from '../../engine/facts.ts'
import type { FileReader } from '../../ssh/file-reader.ts'
import type { ServerReader } from './server-reader.ts'
import { sideBySide } from './side-by-side.ts'

type ProcFile = ServerReader['procFile']

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
const MOST_TABLE = 4_000_000
const MOST_PROCESSES = 2000
const MOST_LINKS = 20_000
const WIDTH = 64

/** Ports on which anything of the machine listens; null where that cannot be read. */
export async function listening(procFile: ProcFile): Promise<Set<number> | null> {
  const tables = await Promise.all(TABLES.map((path) => procFile(path, MOST_TABLE)))
  // There is no tcp6 on a machine without IPv6.
  if (tables[0] === null) return null
  return new Set(tables.flatMap((table) => listeningPorts(table ?? '')))
}

/**
 * The name of the program that has a port, told by files alone: the table has the number of its socket, the links below
 * /proc/<pid>/fd say whose socket it is. Only root sees those of others.
 */
export async function programAt(procFile: ProcFile, files: FileReader, port: number): Promise<string | null> {
  const sockets = new Set(
    (await Promise.all(TABLES.map((path) => procFile(path, MOST_TABLE)))).flatMap((table) =>
      socketsOf(table ?? '', port),
    ),
  )
  if (sockets.size === 0) return null
  const none = { entries: [], cut: false }
  const { entries } = await files.list('/proc', MOST_LINKS).catch(() => none)
  const processes = entries.map(({ name }) => name).filter((name) => /^\d+$/.test(name))
  let links = 0
  let holder: string | null = null
  await sideBySide(processes.slice(0, MOST_PROCESSES), WIDTH, async (pid) => {
    if (holder !== null || links > MOST_LINKS) return
    const open = await files.list(`/proc/${pid}/fd`, 1000).catch(() => none)
    links += open.entries.length
    for (const { name } of open.entries) {
      if (holder !== null) return
      if (sockets.has(await files.linkTarget(`/proc/${pid}/fd/${name}`).catch(() => ''))) holder = pid
    }
  })
  return holder && (((await procFile(`/proc/${holder}/comm`, 64)) ?? '').trim() || null)
}

/** Columns: slot, local address, remote address, state, queues, timers, retransmits, owner, timeout, inode. */
function socketsOf(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return table.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/)
    return words[3] === '0A' && words[1]?.endsWith(`:${hex}`) ? [`socket:[${words[9]}]`] : []
  })
}
