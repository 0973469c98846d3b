import type { Command } from '../../command.ts'
import { listed } from '../../instance/pages.ts'
import { columns } from '../../show/columns.ts'

export const list: Command<'orgs ls'> = async (call) => {
  const { api } = await call.instance()
  const [{ organization }, data] = await Promise.all([
    api.me.show(),
    listed((query) => api.me.organizations({ query })),
  ])
  call.out.result({ data }, () =>
    columns(data.map((one) => [one.id === organization.id ? '●' : ' ', one.name, one.role, one.id])),
  )
}
