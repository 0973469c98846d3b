import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { tool } from '../../../lab/tools.ts'
import type { Entry } from './cases.ts'

const MODES = { file: '100644', link: '120000', submodule: '160000' } as const

/** A repository as no client would make it: odd names, links to anywhere, modules of any address. */
export function commitEntries(directory: string, entries: Entry[]): void {
  mkdirSync(directory, { recursive: true })
  const git = (args: string[], input?: Buffer) => {
    const person = { GIT_AUTHOR_NAME: 'Eve', GIT_AUTHOR_EMAIL: 'e@example.com', GIT_COMMITTER_NAME: 'Eve' }
    const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...person }
    const options = { env: { ...env, GIT_COMMITTER_EMAIL: 'e@example.com' }, input, stdio: 'pipe' } as const
    return execFileSync(tool('git'), ['-C', directory, ...args], options)
      .toString()
      .trim()
  }
  git(['init', '--quiet', '--bare', '--initial-branch=main'])
  const lines = entries.map(({ path, kind, text, target }) => {
    if (kind !== 'file' && kind !== 'link' && kind !== 'submodule') throw new Error(`Git knows no ${kind}.`)
    const content = Buffer.from(kind === 'link' ? target : text, 'latin1')
    const id = kind === 'submodule' ? target : git(['hash-object', '-w', '--stdin'], content)
    return Buffer.from(`${MODES[kind]} ${id}\t${path}\0`, 'latin1')
  })
  git(['update-index', '-z', '--add', '--index-info'], Buffer.concat(lines))
  git(['update-ref', 'refs/heads/main', git(['commit-tree', git(['write-tree']), '-m', 'x'])])
}
