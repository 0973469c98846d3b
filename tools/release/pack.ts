import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDashboard } from '../../dashboard/build.ts'
import { run } from '../../lab/run.ts'
import { bundle } from './bundle.ts'
import { packCommandLine } from './command-line.ts'
import { billOfMaterials, noticesOf, packagesOf } from './packages.ts'

export type Release = {
  version: string
  commit: string
  /** Of the commit, in seconds: nothing of a release depends on when it is made. */
  time: number
}

/** Programs of a release: the folder of each, and where it begins. */
const PROGRAMS = { server: 'server/src/main.ts', cli: 'cli/src/main.ts', setup: 'setup/main.ts' }

/** What each command of the command line reads before it does anything. */
const EVERY_COMMAND = new RegExp(
  [
    'cli/src/(start|run|failure|file-text|load|interrupts)\\.ts',
    'cli/src/(table/\\w+|parse/(parse|nearest|pairs)|show/(output|columns|words))\\.ts',
    'cli/src/instance/(open|target|config-file|address|transport|request|node-http|pause|compare-versions)\\.ts',
    'cli/src/instance/(as-failure|ask|once|pages|project|link|server|deployment)\\.ts',
    'contract/src/(client|paths|visible-text)\\.ts',
  ].join('|'),
)

/** What a release is called on this kind of machine. */
const nameOf = (version: string) => `slipway-${version}-${process.platform}-${process.arch}`

/** A release as one file below `out`. Two of one commit are equal to the last byte. */
export async function pack(checkout: string, out: string, release: Release): Promise<string> {
  const name = nameOf(release.version)
  await layOut(checkout, join(out, name), release)
  return packed(out, name, release.time)
}

/** A release as the folder that its file unpacks to. */
export async function layOut(checkout: string, dir: string, release: Release): Promise<void> {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(join(dir, 'bin'), { recursive: true })
  const modules: string[] = []
  for (const [program, entry] of Object.entries(PROGRAMS)) {
    const light = program === 'cli' ? { light: { together: EVERY_COMMAND, version: release.version } } : {}
    const made = await bundle(join(checkout, entry), { into: join(dir, program), ...light })
    modules.push(...made.modules)
    console.log(`  ${program}: ${made.files} files, ${(made.bytes / 1e6).toFixed(1)} MB`)
  }
  const dashboard = await buildDashboard(join(dir, 'dashboard'))
  modules.push(...dashboard.modules)
  console.log(`  dashboard: ${dashboard.files} files, ${(dashboard.bytes / 1e6).toFixed(1)} MB`)
  const packages = packagesOf(modules)
  const node = process.versions.node
  write(dir, 'package.json', `${JSON.stringify({ name: 'slipway', version: release.version, type: 'module' })}\n`)
  write(dir, 'release.json', `${JSON.stringify({ ...release, node }, null, 2)}\n`)
  write(dir, 'sbom.cdx.json', billOfMaterials(packages, { version: release.version, node }))
  write(dir, 'THIRD_PARTY_NOTICES', noticesOf(packages))
  cpSync(join(checkout, 'LICENSE'), join(dir, 'LICENSE'))
  cpSync(process.execPath, join(dir, 'bin/node'))
  cpSync(join(checkout, 'install/slipway'), join(dir, 'bin/slipway'))
  for (const program of ['node', 'slipway']) chmodSync(join(dir, 'bin', program), 0o755)
  cpSync(join(checkout, 'install/units'), join(dir, 'units'), { recursive: true })
  await packCommandLine(checkout, dir, release.version)
  console.log(`  ${packages.length} packages of others, with their licenses`)
}

const write = (dir: string, file: string, text: string) => writeFileSync(join(dir, file), text)

async function packed(out: string, name: string, time: number): Promise<string> {
  const file = join(out, `${name}.tar.xz`)
  const same = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=@${time}`,
    '--mode=u+rwX,go+rX,go-w',
  ]
  const tar = join(out, `${name}.tar`)
  await run([
    'tar',
    '--create',
    '--format=posix',
    '--pax-option=delete=atime,delete=ctime',
    ...same,
    `--file=${tar}`,
    '-C',
    out,
    name,
  ])
  // One thread: how many there are would show in the file.
  await run(['xz', '--force', '--threads=1', process.env.SLIPWAY_RELEASE_XZ ?? '-6', tar])
  return file
}
