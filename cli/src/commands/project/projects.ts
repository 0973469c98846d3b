import type { Command } from '../../command.ts'
import { listed } from '../../instance/pages.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

export const list: Command<'projects ls'> = async (call) => {
  const { api } = await call.instance()
  const data = await listed((query) => api.projects.list({ query }))
  call.out.result({ data }, () =>
    columns(data.map((one) => [one.name, one.id, one.repository ?? '', `changed ${since(one.updatedAt)} ago`])),
  )
  if (data.length === 0) call.out.say('None yet. Make one of a folder: slipway init')
}
