import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run, tried } from '../argv.ts'
import { PATHS } from '../paths.ts'

export const OWN_BUILDX = `${PATHS.program}/tools/docker-buildx`

/** Only ever where there is none. A Swarm is never left, whoever made it. */
export async function makeSwarm(address: string, pool: string | null): Promise<void> {
  const state = await tried(['docker', 'info', '--format', '{{.Swarm.LocalNodeState}}'])
  if (state?.trim() === 'active') return
  const networks = pool === null ? [] : ['--default-addr-pool', pool, '--default-addr-pool-mask-length', '24']
  const at = ['--advertise-addr', address, '--listen-addr', `${address}:2377`]
  await run(['docker', 'swarm', 'init', ...at, ...networks])
}

/** For a distribution that has none of its own. */
export function putBuildx(folder: string): void {
  const from = join(folder, 'docker-buildx')
  if (!existsSync(from)) throw new Error(`There is no ${from}.`)
  mkdirSync(join(OWN_BUILDX, '..'), { recursive: true, mode: 0o755 })
  copyFileSync(from, OWN_BUILDX)
  chmodSync(OWN_BUILDX, 0o755)
}

export async function loadImages(folder: string): Promise<string> {
  const files = readdirSync(folder).filter((file) => /\.tar$/.test(file) && !file.startsWith('slipway-'))
  for (const file of files)
    await run(['docker', 'load', '--quiet', '--input', join(folder, file)], { deadlineMs: 600_000 })
  return `${files.length} archives`
}
