import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const MOST_NAMES = 10

/** Why no release can be made of a checkout, in a sentence; null: it can. A release is of a commit, and says what is new in it. */
export function whyUnready(checkout: string, version: string): string | null {
  const loose = looseFiles(checkout)
  if (loose.length > 0) {
    const more = loose.length > MOST_NAMES ? ` and ${loose.length - MOST_NAMES} more` : ''
    return `These are in no commit: ${loose.slice(0, MOST_NAMES).join(', ')}${more}. Commit them or move them elsewhere, or make a --snapshot.`
  }
  const changes = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')
  if (/^## Unreleased/m.test(changes) || !changes.includes(`\n## ${version}`))
    return `CHANGELOG.md says what is new as "Unreleased". Call it ${version}, or make a --snapshot.`
  return null
}

/** Changed or unknown to git. With -z no name is quoted. */
function looseFiles(checkout: string): string[] {
  const entries = git(checkout, 'status', '--porcelain', '-z', '--no-renames').split('\0')
  return entries.filter(Boolean).map((entry) => entry.slice(3))
}

export function git(checkout: string, ...args: string[]): string {
  return execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' })
}
