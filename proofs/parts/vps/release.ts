import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, partDir, repository } from '../../../lab/paths.ts'
import { run } from '../../../lab/run.ts'
import { tool } from '../../../lab/tools.ts'
import type { Vps } from '../../../lab/vps/boot.ts'
import { layOut } from '../../../tools/release/pack.ts'
import { writeInstaller, writeSums } from '../../../tools/release/sign.ts'

const dir = partDir('releases')
const base = join(dir, 'base')
let laid: Promise<void> | undefined

/** This checkout as a release of that version: the folder which its archive unpacks to. */
export async function releaseOf(version: string): Promise<string> {
  laid ??= layBase()
  await laid
  const to = join(dir, version)
  rmSync(to, { recursive: true, force: true })
  // What is written anew is first taken away: the rest is the same file under two names.
  await run(['cp', '--archive', '--link', base, to])
  for (const file of ['package.json', 'release.json']) rmSync(join(to, file))
  writeFileSync(join(to, 'package.json'), JSON.stringify({ name: 'slipway', version, type: 'module' }))
  writeFileSync(join(to, 'release.json'), JSON.stringify({ version, commit: commit() }))
  return to
}

/** As it is published: archive, signed list of checksums, and the installer that believes this key alone. */
export async function publishedOf(version: string): Promise<string> {
  const folder = await releaseOf(version)
  const out = join(dir, `published-${version}`)
  const name = `slipway-${version}-${process.platform}-${process.arch}`
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  await run(['tar', '--create', `--file=${out}/${name}.tar`, `--transform=s,^\\.,${name},`, '-C', folder, '.'])
  await run(['xz', '-0', `${out}/${name}.tar`])
  const key = join(dir, 'key.pem')
  await run([tool('openssl'), 'genpkey', '-algorithm', 'ed25519', '-out', key])
  await writeSums(out, [`${out}/${name}.tar.xz`], key)
  writeInstaller(repository, out, '.')
  return out
}

/** Puts a release of that version to a machine, unpacked. */
export async function carry(vps: Vps, to: string, version: string): Promise<void> {
  rmSync(join(vps.root, to), { recursive: true, force: true })
  await run(['cp', '--archive', '--link', await releaseOf(version), join(vps.root, to)])
}

/** What a machine without a way out is given beside a release: images, and buildx where its distribution has none. */
export function offlineFolder(into: string): void {
  mkdirSync(into, { recursive: true })
  const [images = ''] = execFileSync('find', [join(cacheDir, 'images'), '-name', '*.tar'], { encoding: 'utf8' }).split(
    '\n',
  )
  cpSync(images, join(into, 'images.tar'))
  cpSync(tool('docker-buildx'), join(into, 'docker-buildx'))
}

export const removeReleases = (): void => rmSync(dir, { recursive: true, force: true })

async function layBase(): Promise<void> {
  mkdirSync(dir, { recursive: true })
  await layOut(repository, base, { version: '0.0.0', commit: commit(), time: 0 })
}

const commit = () => execFileSync('git', ['-C', repository, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
