import { lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lives, type Owner, self, startOf } from './owner.ts'

const MARK = 'SLIPWAY_BUILD'
/** No build takes this long: what is left of an owner that cannot be seen from here. */
const MOST_AGE_MS = 25 * 3600_000

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
  const left = (await buildsOf(instance)).filter(({ owner }) => !lives(owner))
  await endAll(left)
  await removeWorkFolders(join(scratch, 'work'))
  return [...new Set(left.map(({ build }) => build))]
}

/** Also of an owner that lives: one that was stopped for so long that it lost the build does not know it yet. */
export async function endBuild(instance: string, build: string): Promise<void> {
  await endAll((await buildsOf(instance)).filter((found) => found.build === build && found.owner !== self()))
}

type Found = { pid: number; owner: Owner; build: string; started: string | undefined }

async function buildsOf(instance: string): Promise<Found[]> {
  const found = await Promise.all((await processes()).map((pid) => readMark(pid, instance)))
  return found.filter((it) => it !== null)
}

async function readMark(pid: number, instance: string): Promise<Found | null> {
  // Another user's process, or one that has ended meanwhile, cannot be read and is not ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  const prefix = `${MARK}=${instance}/`
  const mark = environment.split('\0').find((entry) => entry.startsWith(prefix))
  if (mark === undefined) return null
  const [owner = '', build = ''] = mark.slice(prefix.length).split('/')
  return { pid, owner, build, started: startOf(pid) }
}

/** Ending the client is enough: BuildKit notices the closed connection and ends what runs. */
async function endAll(found: Found[]): Promise<void> {
  for (const { pid } of found) end(pid)
  const deadline = Date.now() + 5000
  while (found.some(({ pid, started }) => startOf(pid) === started) && Date.now() < deadline) await sleep(10)
}

async function removeWorkFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const owned = lives(name.split('-')[0] ?? '')
    const age = owned ? await ageOf(join(parent, name)) : 0
    if (!owned || age > MOST_AGE_MS) await rm(join(parent, name), { recursive: true, force: true })
  }
}

const ageOf = (path: string) =>
  lstat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )

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
