import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// A process is told by its number and the time it started at: numbers come again.
type Owner = string

const MARK = 'SLIPWAY_BUILD'

/** In the environment of each build's process, so that it can be found when its owner is gone. */
export function markOf(instance: string, { build, service }: { build: string; service: string }) {
  return { name: MARK, value: `${instance}/${self()}/${build}/${service}` }
}

/** A folder of mode 0700 for one build; its name tells the owner. */
export async function openWorkFolder(scratch: string): Promise<string> {
  const parent = join(scratch, 'work')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(join(parent, `${self()}-`))
}

/** Builds of owners that live are left alone, ours and those of other processes. */
export async function endLeftovers({ scratch, instance }: { scratch: string; instance: string }): Promise<string[]> {
  const found = (await Promise.all((await processes()).map((pid) => leftover(pid, instance)))).filter(
    (it) => it !== null,
  )
  // Ending the client is enough: BuildKit notices the closed connection and ends what runs.
  for (const { pid } of found) end(pid)
  const deadline = Date.now() + 5000
  while (found.some(({ pid, started }) => startOf(pid) === started) && Date.now() < deadline) await sleep(10)
  await removeWorkFolders(join(scratch, 'work'))
  return [...new Set(found.map(({ build }) => build))]
}

async function leftover(pid: number, instance: string) {
  // Another user's process, or one that has ended meanwhile, cannot be read and is not ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  const prefix = `${MARK}=${instance}/`
  const mark = environment.split('\0').find((entry) => entry.startsWith(prefix))
  const [owner = '', build = ''] = mark?.slice(prefix.length).split('/') ?? []
  if (mark === undefined || alive(owner)) return null
  return { pid, build, started: startOf(pid) }
}

async function removeWorkFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  const orphans = names.filter((name) => !alive(name.split('-')[0] ?? ''))
  for (const name of orphans) await rm(join(parent, name), { recursive: true, force: true })
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

async function processes(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
}

function self(): Owner {
  return `${process.pid}.${startOf(process.pid)}`
}

function alive(owner: Owner): boolean {
  const [pid = '', started = ''] = owner.split('.')
  return started !== '' && startOf(Number(pid)) === started
}

/** In ticks since boot; field 22, counted after the name, which may hold anything. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
