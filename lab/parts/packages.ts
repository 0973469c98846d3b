import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { downloadMissing, downloadOnly, installData, refreshLists } from '../apt.ts'
import { withLock } from '../lock.ts'
import { packageRoot, packageSets, type SetName } from '../package-sets.ts'
import { cacheDir } from '../paths.ts'
import { run } from '../run.ts'

/** Fetches what a part needs from Debian and unpacks it into the cache; nothing is done when it is there. */
export async function needPackages(...sets: SetName[]): Promise<void> {
  if (havePackages(...sets)) return
  await withLock(join(cacheDir, 'packages.lock'), async () => {
    const missing = sets.filter((set) => !havePackages(set))
    if (missing.length === 0) return
    await refreshLists()
    await needData()
    for (const set of missing) await fetchSet(set)
  })
}

export function havePackages(...sets: SetName[]): boolean {
  return sets.every((set) => existsSync(packageRoot(set)) || (set === 'database' && databaseInstalled()))
}

function databaseInstalled(): boolean {
  return existsSync('/usr/lib/postgresql/15/bin/postgres') && existsSync('/usr/share/zoneinfo/UTC')
}

/** Programs read these at fixed places, so unpacking them into the cache would not help. */
async function needData(): Promise<void> {
  const places = { '/etc/ssl/certs/ca-certificates.crt': 'ca-certificates', '/usr/share/zoneinfo/UTC': 'tzdata' }
  const missing = Object.entries(places).filter(([file]) => !existsSync(file))
  if (missing.length > 0) await installData(missing.map(([, name]) => name))
}

async function fetchSet(set: SetName): Promise<void> {
  const root = packageRoot(set)
  const work = `${root}.part`
  const { withDependencies, alone } = packageSets[set]
  rmSync(work, { recursive: true, force: true })
  const older = join(work, 'debs', 'release')
  const newer = join(work, 'debs', 'newer')
  if (withDependencies.length > 0) await downloadMissing(withDependencies, older)
  if (alone.length > 0) await downloadOnly(alone, newer)
  // The release's packages last: where both bring a file, the one that fits this machine's libraries wins.
  for (const debs of [newer, older]) await unpack(debs, join(work, 'root'))
  linkIptables(join(work, 'root'))
  rmSync(root, { recursive: true, force: true })
  renameSync(join(work, 'root'), root)
  rmSync(work, { recursive: true })
}

async function unpack(debs: string, root: string): Promise<void> {
  if (!existsSync(debs)) return
  mkdirSync(root, { recursive: true })
  const queue = readdirSync(debs).filter((file) => file.endsWith('.deb'))
  const unpackNext = async (): Promise<void> => {
    for (let deb = queue.pop(); deb; deb = queue.pop()) await run(['dpkg', '-x', join(debs, deb), root])
  }
  await Promise.all([unpackNext(), unpackNext()])
}

/** What update-alternatives does on an installed system; dockerd looks for these names. */
function linkIptables(root: string): void {
  if (!existsSync(join(root, 'usr/sbin/xtables-nft-multi'))) return
  mkdirSync(join(root, 'links'))
  for (const name of ['iptables', 'ip6tables'])
    for (const verb of ['', '-save', '-restore'])
      symlinkSync('../usr/sbin/xtables-nft-multi', join(root, 'links', name + verb))
}
