import { isFailure } from '../../errors.ts'
import { gitEnvironment } from './environment.ts'
import type { GitSource } from './git.ts'
import { initRepository } from './repository.ts'
import { checkSize, type Limits, runGit } from './run.ts'
import type { Remote, Settings } from './settings.ts'
import { checkBranch } from './source.ts'
import { warningsOf } from './warnings.ts'

export type FetchScope = { remote: Remote; settings: Settings; signal: AbortSignal }

export async function fetchCommit(
  { remote, settings, signal }: FetchScope,
  source: GitSource,
  commitSha: string,
  directory: string,
): Promise<{ warnings: string[] }> {
  const watch = { directory, maxBytes: settings.maxPackBytes }
  const limits: Limits = { signal, deadlineMs: settings.fetchDeadlineMs, watch }
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--refmap=']
  const take = (depth: string[], wanted: string) =>
    remote((url) => [`--git-dir=${directory}`, 'fetch', ...options, ...depth, '--', url, wanted], limits)

  await initRepository(settings, directory, signal)
  if (!(await hasCommit(settings, directory, commitSha, signal))) {
    try {
      await take(['--depth=1'], commitSha)
    } catch (error) {
      // Old servers give out only what a branch points to: then the branch with its history has it, if anything has.
      if (!isFailure(error, 'git', 'git_commit_missing') || source.branch === null) throw error
      await take([], `refs/heads/${checkBranch(source.branch)}`)
      if (!(await hasCommit(settings, directory, commitSha, signal))) throw error
    }
  }
  // A fast server has delivered before anyone looked.
  await checkSize(watch)
  return { warnings: await warningsOf(settings, directory, commitSha, signal) }
}

/** A fetch that was cut off leaves nothing: the pack gets its name when it is whole. */
async function hasCommit(settings: Settings, directory: string, commitSha: string, signal: AbortSignal) {
  const args = [`--git-dir=${directory}`, 'cat-file', '-e', `${commitSha}^{tree}`]
  const { code } = await runGit(args, gitEnvironment(settings.environment), { signal, deadlineMs: 30_000 })
  return code === 0
}
