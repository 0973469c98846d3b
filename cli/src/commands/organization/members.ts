import type { Role } from '@slipway/contract/permissions'
import type { Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { listed, pagesOf } from '../../instance/pages.ts'
import { columns } from '../../show/columns.ts'
import { since, until } from '../../show/words.ts'

export const list: Command<'members ls'> = async (call) => {
  const { api } = await call.instance()
  const data = await listed((query) => api.members.list({ query }))
  call.out.result({ data }, () =>
    columns(data.map((one) => [one.email, one.name, one.role, `for ${since(one.joinedAt)}`, one.userId])),
  )
}

/** By an id or an address. */
async function findMember({ api }: Instance, named: string) {
  if (named.startsWith('usr_')) return api.members.show({ params: { userId: named } })
  const address = named.toLowerCase()
  for await (const one of pagesOf((query) => api.members.list({ query }))) if (one.email === address) return one
  throw new Failure(EXIT.refused, 'not_found', `${named} is no member.`, 'slipway members ls lists them.')
}

export const changeRole: Command<'members role'> = async (call) => {
  const [named = '', role] = call.words
  const instance = await call.instance()
  const { userId } = await findMember(instance, named)
  const member = await instance.api.members.changeRole({ params: { userId }, body: { role: role as Role } })
  call.out.done(member, `${member.email} is ${member.role}`)
}

export const remove: Command<'members rm'> = async (call) => {
  const instance = await call.instance()
  const { userId, email } = await findMember(instance, call.words[0] ?? '')
  await confirm(call, `Remove ${email}? What uses their tokens is refused from then on.`)
  const result = await instance.api.members.remove({ params: { userId } })
  call.out.done({ ...result, userId, email }, `${email} is no member any more`)
}

/** On stdout is the link alone, to be handed on. */
export const invite: Command<'members invite'> = async (call) => {
  const [email = '', role] = call.words
  const { api } = await call.instance()
  const made = await api.members.invite({ body: { email, role: role as Role } })
  call.out.result(made, () => [made.link])
  call.out.say(
    `${call.out.paint('green', '✓')} Whoever opens it joins as ${made.invitation.email}. It is shown only once.`,
  )
}

export const invitations: Command<'members invitations'> = async (call) => {
  const { api } = await call.instance()
  const data = await listed((query) => api.members.invitations({ query }))
  call.out.result({ data }, () =>
    columns(data.map((one) => [one.id, one.email, one.role, `ends in ${until(one.expiresAt)}`, one.invitedBy ?? ''])),
  )
  if (data.length === 0) call.out.say('None is open.')
}

export const withdraw: Command<'members withdraw'> = async (call) => {
  const [id = ''] = call.words
  const { api } = await call.instance()
  const result = await api.members.withdraw({ params: { id } })
  call.out.done({ ...result, id }, 'The link of this invitation is good for nothing any more')
}
