import type { Command } from '../../command.ts'
import { confirm } from '../../instance/ask.ts'
import { listed } from '../../instance/pages.ts'
import { projectOf } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'

export const list: Command<'volumes ls'> = async (call) => {
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const { data } = await instance.api.projects.volumes({ params: { id } })
  call.out.result({ data }, () => columns(data.map((one) => [one.key ?? '', one.name, one.serverId])))
  if (data.length === 0) call.out.say('None: its services keep nothing.')
}

export const grants: Command<'volumes grants'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const data = await listed((query) => instance.api.migration.grants({ params: { id }, query }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.id,
        one.kind,
        one.source,
        one.writable ? 'to write' : 'to read',
        one.revokedAt === null ? '' : 'taken back',
      ]),
    ),
  )
  if (data.length === 0) out.say('None: it uses nothing that is not its own.')
}

export const revoke: Command<'volumes revoke'> = async (call) => {
  const [grantId = ''] = call.words
  const instance = await call.instance()
  const { id, name } = await projectOf(call, instance)
  await confirm(call, `Take ${grantId} back? The next deployment of ${name} that needs it is refused.`)
  const result = await instance.api.migration.revokeGrant({ params: { id, grantId } })
  call.out.done({ ...result, id: grantId }, `${grantId} is taken back`)
}
