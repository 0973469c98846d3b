import type { Command } from '../../command.ts'
import { projectOf } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'

export const list: Command<'volumes ls'> = async (call) => {
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const { data } = await instance.api.projects.volumes({ params: { id } })
  call.out.result({ data }, () => columns(data.map((one) => [one.key ?? '', one.name, one.serverId])))
  if (data.length === 0) call.out.say('None: its services keep nothing.')
}
