import type { Scope } from '@slipway/contract/permissions'
import type { Command } from '../../command.ts'
import { confirm } from '../../instance/ask.ts'
import { listed } from '../../instance/pages.ts'
import { findProject } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'
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
  const project =
    named === undefined
      ? null
      : await findProject(instance, { by: named.startsWith('prj_') ? 'id' : 'name', value: named })
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
  out.say(`${out.paint('green', '✓')} ${name} has ended`)
  out.event({ ...result, id })
}
