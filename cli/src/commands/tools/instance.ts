import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { details } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

type Run = { ok: boolean; at: string | null; lastSuccessAt: string | null } | null

/** Exit code 6 where its name does not lead there, or its last backup failed. */
export const instance: Command<'instance'> = async (call) => {
  const { out } = call
  const { api, url } = await call.instance()
  const [about, address, { backup, drill }] = await Promise.all([
    api.operations.instance(),
    api.operations.address(),
    api.operations.backups(),
  ])
  const well = (address.host === null || address.live) && backup?.ok !== false && drill?.ok !== false
  out.result({ success: true, url, ...about, address, backup, drill }, () =>
    details([
      ['asked at', url],
      ['version', about.version],
      ['commit', about.commit],
      ['address', address.url],
      ['', address.message],
      ['backup', runWords(backup)],
      ['drill', runWords(drill)],
    ]),
  )
  return well ? EXIT.ok : EXIT.actionRequired
}

function runWords(run: Run): string {
  if (run === null) return 'none is known of'
  const good = run.lastSuccessAt === null ? 'none went well yet' : `the last good one ${since(run.lastSuccessAt)} ago`
  return run.ok ? `went well ${since(run.at)} ago` : `failed; ${good}`
}
