import type { Command } from '../../command.ts'
import { until } from '../../show/words.ts'

export const whoami: Command<'whoami'> = async (call) => {
  const { api, url } = await call.instance()
  const me = await api.me.show()
  const { user, role, organization, credential } = me
  call.out.result({ ...me, instance: url }, () => [`${user.name} <${user.email}>, ${role} of ${organization.name}`])
  const ends = credential.expiresAt === null ? '' : `, for another ${until(credential.expiresAt)}`
  call.out.say(call.out.paint('dim', `at ${url}, by ${credential.kind} ${credential.id}${ends}`))
}
