import type { Command } from '../../command.ts'
import { listed } from '../../instance/pages.ts'
import { columns } from '../../show/columns.ts'

const USUAL = 30

export const audit: Command<'audit'> = async (call) => {
  const { out, flags } = call
  const { api } = await call.instance()
  const only = {
    ...(flags.action !== undefined && { action: flags.action }),
    ...(flags.target !== undefined && { target: flags.target }),
  }
  const data = await listed((page) => api.audit.list({ query: { ...only, ...page } }), flags.limit ?? USUAL)
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.at.replace('T', ' ').replace(/\.\d+Z$/, ''),
        one.actor.name,
        one.action,
        one.target ?? '',
        one.address ?? '',
      ]),
    ),
  )
}
