import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { listed } from '../../instance/pages.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

/** Exit code 6 where the connection has a problem that somebody has to mend. */
export const status: Command<'git status'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const found = await api.githost.status()
  const { state, host, accounts, problems } = found
  out.result(found, () => [
    state === 'disconnected'
      ? `Not connected to ${host}.`
      : `${out.paint('green', '✓')} Connected to ${host} by ${state}`,
    ...columns(accounts.map((one) => [`    ${one.login}`, one.type, one.source])),
    ...problems.flatMap(({ message, hint }) => [`${out.paint('yellow', '!')} ${message}`, `  ${hint}`]),
  ])
  return problems.length === 0 ? EXIT.ok : EXIT.actionRequired
}

const USUAL = 30

export const repos: Command<'git repos'> = async (call) => {
  const { out, flags, words } = call
  const { api } = await call.instance()
  const part = words[0] === undefined ? {} : { q: words[0] }
  const data = await listed((page) => api.githost.list({ query: { ...part, ...page } }), flags.limit ?? USUAL)
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.fullName,
        one.private ? 'private' : 'public',
        one.defaultBranch,
        `pushed to ${since(one.pushedAt)} ago`,
      ]),
    ),
  )
}
