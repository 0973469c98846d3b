import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PRODUCT, ROOT } from './subject.ts'

/** What a proof starts is built: from the sources that its figure is written down for, or there is no figure. */
export function requireBuilt(): void {
  const release = process.env.SLIPWAY_PROVE_RELEASE
  if (release) requireSame(resolve(ROOT, release))
  else execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
}

function requireSame(release: string): void {
  const { commit } = JSON.parse(readFileSync(join(release, 'release.json'), 'utf8')) as { commit: string }
  const { status } = spawnSync('git', ['diff', '--quiet', commit, '--', ...PRODUCT, 'package-lock.json'], { cwd: ROOT })
  if (status !== 0)
    throw new Error(
      `The release in ${release} is not of these sources: it was made from ${commit}. Make it anew: bin/release --snapshot --unpacked --out ${release}`,
    )
}
