import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitEnvironment } from './environment.ts'
import { type GitCommit, type GitSource, gitFailure } from './git.ts'
import { initRepository } from './repository.ts'
import { type Limits, runGit } from './run.ts'
import type { Remote, Settings } from './settings.ts'
import { checkBranch, placeOf } from './source.ts'

const MOST_MESSAGE = 10_000

/** Fetches the commit alone, where the server can leave out files; that is the only way to its message and author. */
export async function resolveBranch(
  remote: Remote,
  source: GitSource,
  settings: Settings,
  signal: AbortSignal,
): Promise<GitCommit> {
  const branch = source.branch === null ? undefined : checkBranch(source.branch)
  const directory = await mkdtemp(join(tmpdir(), 'slipway-commit-'))
  const watch = { directory, maxBytes: settings.maxPackBytes }
  const limits: Limits = { signal, deadlineMs: settings.resolveDeadlineMs, watch }
  try {
    const name = branch ?? (await defaultBranch(remote, source, settings, limits))
    await initRepository(settings, directory, signal)
    const options = ['--quiet', '--depth=1', '--filter=tree:0', '--no-tags', '--no-write-fetch-head', '--refmap=']
    const wanted = `refs/heads/${name}:refs/heads/fetched`
    await remote((url) => [`--git-dir=${directory}`, 'fetch', ...options, '--', url, wanted], limits)
    return { branch: name, ...(await describe(settings, directory, limits)) }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function defaultBranch(remote: Remote, source: GitSource, settings: Settings, limits: Limits): Promise<string> {
  const { stdout } = await remote((url) => ['ls-remote', '--symref', '--', url, 'HEAD'], limits)
  const name = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(stdout)?.[1]
  if (name) return checkBranch(name)
  const { host } = placeOf(source, settings.allowHttp)
  throw gitFailure('git_branch_missing', `The repository on ${host} has no default branch; it may be empty.`)
}

async function describe(settings: Settings, directory: string, limits: Limits): Promise<Omit<GitCommit, 'branch'>> {
  const args = [`--git-dir=${directory}`, 'log', '-1', '--format=%H%x00%an%x00%ct%x00%B', 'refs/heads/fetched', '--']
  const { code, stdout, stderr } = await runGit(args, gitEnvironment(settings.environment), limits)
  if (code !== 0) throw new Error(`git could not read a commit it has fetched: ${stderr.trim()}`)
  const [commitSha = '', author = '', at = '', ...message] = stdout.split('\0')
  return {
    commitSha,
    author,
    at: new Date(Number(at) * 1000).toISOString(),
    message: message.join('').trim().slice(0, MOST_MESSAGE),
  }
}
