import { tellPush } from './events/push.ts'
import { commitFile } from './git/commit-file.ts'
import type { Account, Host, Repository } from './model.ts'
import { authorOf } from './repositories.ts'

export type PushedFile = {
  branch?: string
  path?: string
  /** Null removes the file; not said: something new. */
  content?: string | null
  message?: string
  /** Hooks are not told, as if the delivery had been lost before it was made. */
  quiet?: boolean
}

export async function pushFile(host: Host, repository: Repository, by: Account, wanted: PushedFile) {
  const { branch = repository.defaultBranch, path = 'version.txt', message = 'Change', quiet = false } = wanted
  const text = wanted.content === undefined ? `${Date.now()} ${Math.random()}\n` : wanted.content
  const author = authorOf(by)
  const content = text === null ? null : Buffer.from(text)
  const moved = await commitFile(repository, { branch, path, content, message, author })
  if (quiet) return moved
  const [removed, modified] = text === null ? [[path], []] : [[], [path]]
  const timestamp = new Date().toISOString()
  const commit = { id: moved.after, message, timestamp, author, added: [], removed, modified }
  // Said, and not found out: no program is started for it.
  const move = { ref: `refs/heads/${branch}`, ...moved, forced: false, commits: [commit] }
  await tellPush(host, repository, [move], by)
  return moved
}
