import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { daemons, endGroup, startIn } from '../group.ts'
import { packageRoot } from '../package-sets.ts'
import { partDir } from '../paths.ts'
import { lastLines } from '../run.ts'
import { type GithostPart, readLab, record } from '../state.ts'
import { needPackages } from './packages.ts'

const dir = partDir('githost')
const log = join(dir, 'log')
const program = join(import.meta.dirname, '..', 'githost', 'main.ts')

/** A GitHub-compatible host on loopback, and `gh` in the versions of two releases to be its client. */
export async function upGithost(): Promise<string> {
  await needPackages('gh', 'newerGh')
  const running = readLab().githost
  if (running && githostRuns()) return describe(running)
  await endGroup('githost')
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'addresses.json')
  const env = { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8' }
  startIn('githost', [process.execPath, program, join(dir, 'data'), file], { log, env })
  const addresses = await until('githost: waiting for its addresses', 20_000, () => readAddresses(file)).catch(
    (error: Error) => {
      throw new Error(`${error.message}\n${lastLines(readFileSync(log, 'utf8'), 12)}\n  Its log is ${log}.`)
    },
  )
  const part = { ...addresses, gh: ghOf('gh'), newerGh: ghOf('newerGh'), log }
  record({ githost: part })
  return describe(part)
}

export function githostRuns(): boolean {
  return daemons('githost').length > 0
}

/** Debian's own client, as unpacked in the cache. */
const ghOf = (set: 'gh' | 'newerGh') => join(packageRoot(set), 'usr/bin/gh')

const describe = ({ host, proxy }: GithostPart) => `${host} through ${proxy}`

/** Undefined until the file is there and whole. */
function readAddresses(file: string): Omit<GithostPart, 'gh' | 'newerGh' | 'log'> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
