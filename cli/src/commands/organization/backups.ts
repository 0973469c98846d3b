import type { Command } from '../../command.ts'
import { listed } from '../../instance/pages.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

export const list: Command<'backups ls'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const data = await listed((query) => api.backupDestinations.list({ query }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.lastVerifyError !== null
          ? out.paint('red', '✗')
          : one.lastVerifiedAt === null
            ? ' '
            : out.paint('green', '✓'),
        one.name,
        one.kind,
        one.bucket ?? one.sshHost ?? one.serverId ?? one.endpoint ?? '',
        one.isDefault ? 'default' : '',
        one.lastVerifyError ??
          (one.lastVerifiedAt === null ? 'never tried' : `worked ${since(one.lastVerifiedAt)} ago`),
        one.id,
      ]),
    ),
  )
  if (data.length === 0) out.say('Backups go nowhere yet.')
}
