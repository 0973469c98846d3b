import type { Scope } from '@slipway/contract/permissions'
import type { Command } from '../../command.ts'
import { confirm } from '../../instance/ask.ts'
import { listed } from '../../instance/pages.ts'
import { findProject, namedBy } from '../../instance/project.ts'
import { columns, details } from '../../show/columns.ts'
import { since, until } from '../../show/words.ts'

export const list: Command<'tokens ls'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const data = await listed((query) => api.tokens.list({ query }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.name,
        one.id,
        one.createdBy.name,
        one.scopes === null ? 'everything' : one.scopes.join(' '),
        one.lastUsedAt === null ? 'never used' : `used ${since(one.lastUsedAt)} ago`,
        one.expiresAt === null ? 'for ever' : `ends in ${until(one.expiresAt)}`,
      ]),
    ),
  )
}

const DAY_MS = 24 * 60 * 60 * 1000

/** On stdout is the secret alone, to be put where it belongs. Never repeated by itself: each repetition would make another token. */
export const create: Command<'tokens create'> = async (call) => {
  const { out, flags, words } = call
  const instance = await call.instance()
  const named = flags.project
  const project = named === undefined ? null : await findProject(instance, namedBy(named))
  const made = await instance.api.tokens.create({
    body: {
      name: words[0] ?? '',
      scopes: flags.scope.length > 0 ? (flags.scope as Scope[]) : null,
      projectId: project?.id ?? null,
      expiresAt: flags.days === undefined ? null : new Date(Date.now() + flags.days * DAY_MS).toISOString(),
    },
  })
  out.result(made, () => [made.secret])
  out.say(
    `${out.paint('green', '✓')} ${made.token.name} (${made.token.id}) made. This is the only time that it is shown.`,
  )
}

export const revoke: Command<'tokens revoke'> = async (call) => {
  const { out } = call
  const [id = ''] = call.words
  const { api } = await call.instance()
  const { name } = await api.tokens.show({ params: { id } })
  await confirm(call, `End the token ${name}? Whoever uses it is refused from then on.`)
  const result = await api.tokens.revoke({ params: { id } })
  out.done({ ...result, id }, `${name} has ended`)
}

export const inspect: Command<'tokens inspect'> = async (call) => {
  const { api } = await call.instance()
  const token = await api.tokens.show({ params: { id: call.words[0] ?? '' } })
  call.out.result(token, () =>
    details([
      ['name', token.name],
      ['begins with', token.hint],
      ['may', token.scopes === null ? 'everything that its owner may' : token.scopes.join(' ')],
      ['project', token.projectId],
      ['made by', token.createdBy.name],
      ['made', `${since(token.createdAt)} ago`],
      ['used', token.lastUsedAt === null ? 'never' : `${since(token.lastUsedAt)} ago`],
      ['ends', token.expiresAt === null ? 'never' : `in ${until(token.expiresAt)}`],
    ]),
  )
}
