import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { packageRoot } from './package-sets.ts'

const system = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
const postgresBin = 'usr/lib/postgresql/15/bin'

/** The path of a program: the lab's own if it was fetched, else the machine's. */
export function tool(name: string): string {
  const found = [...fetchedDirs(), `/${postgresBin}`, ...system]
    .map((dir) => join(dir, name))
    .find((file) => existsSync(file))
  if (!found) throw new Error(`the program ${name} is missing: run bin/lab up packages`)
  return found
}

/** The environment in which fetched programs find each other and their libraries. */
export function toolEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const libraries = roots().flatMap((root) => [...triplets(join(root, 'usr/lib')), ...triplets(join(root, 'lib'))])
  const xtables = libraries.map((dir) => join(dir, 'xtables')).find((dir) => existsSync(dir))
  return {
    HOME: '/root',
    LANG: 'C.UTF-8',
    PATH: [...fetchedDirs(), ...system].join(delimiter),
    ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(delimiter) }),
    ...(xtables && { XTABLES_LIBDIR: xtables }),
    ...more,
  }
}

function fetchedDirs(): string[] {
  const inside = ['links', postgresBin, 'usr/sbin', 'usr/bin', 'usr/libexec/docker/cli-plugins', 'sbin', 'bin']
  return roots().flatMap((root) => inside.map((dir) => join(root, dir)))
}

function roots(): string[] {
  const sets = ['engine', 'database', 'registry', 'acme'] as const
  return sets.map(packageRoot).filter((root) => existsSync(root))
}

function triplets(dir: string): string[] {
  if (!existsSync(dir)) return []
  const names = readdirSync(dir).filter((name) => name.endsWith('-linux-gnu'))
  return names.map((name) => join(dir, name))
}
