import { existsSync, readFileSync } from 'node:fs'
import { arch, platform, report } from 'node:process'

type Locked = { version?: string; optional?: boolean; os?: string[]; cpu?: string[]; libc?: string[] }

/**
 * Prints the packages of the lock file that are built for this machine and were left out. npm does so where one is optional and asks for a
 * newer Node than the one that npm runs on, such as Debian's own; what uses them runs on ours.
 */
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
const { header } = report.getReport() as { header: { glibcVersionRuntime?: string } }
const libc = header.glibcVersionRuntime ? 'glibc' : 'musl'
const fits = (wanted: string[] | undefined, own: string) => wanted === undefined || wanted.includes(own)
const isForHere = ({ os, cpu, libc: c }: Locked) =>
  (os ?? cpu) !== undefined && fits(os, platform) && fits(cpu, arch) && (platform !== 'linux' || fits(c, libc))

for (const [path, one] of Object.entries(packages))
  if (one.optional && isForHere(one) && !existsSync(path))
    console.log(`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${one.version}`)
