import type { Server, ServerReport } from '@slipway/contract/servers'
import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { listed } from '../../instance/pages.ts'
import { findServer } from '../../instance/server.ts'
import { columns } from '../../show/columns.ts'
import type { Output } from '../../show/output.ts'
import { bytes, since } from '../../show/words.ts'

export const list: Command<'servers ls'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const data = await listed((query) => api.servers.list({ query }))
  out.result({ data }, () => columns(data.map((one) => row(out, one))))
  if (data.length === 0) out.say('None. A deployment needs one.')
}

function row(out: Output, { id, name, kind, host, lastReport }: Server): string[] {
  const mark = lastReport === null ? ' ' : lastReport.ok ? out.paint('green', '✓') : out.paint('red', '✗')
  const checked = lastReport === null ? 'never looked at' : `looked at ${since(lastReport.checkedAt)} ago`
  return [mark, name, kind === 'local' ? 'this instance’s own' : (host ?? ''), reportWords(lastReport), checked, id]
}

/** Docker 26.1.5, 4.1 GB memory, 58 GB disk */
export function reportWords(report: ServerReport | null): string {
  if (report === null) return ''
  const { engineVersion, memoryAvailableBytes, diskFreeBytes } = report
  return [
    engineVersion && `Docker ${engineVersion}`,
    memoryAvailableBytes !== null && `${bytes(memoryAvailableBytes)} memory`,
    diskFreeBytes !== null && `${bytes(diskFreeBytes)} disk`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Exit code 6 where something is to be done about it. */
export const check: Command<'servers check'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id } = await findServer(instance, call.words[0] ?? '')
  const checked = await instance.api.servers.check({ params: { id } })
  const marks = {
    ok: out.paint('green', '✓'),
    warning: out.paint('yellow', '!'),
    failed: out.paint('red', '✗'),
    unknown: '?',
  }
  out.result(checked, () =>
    checked.report.checks.flatMap(({ name, state, found, fix }) => [
      `${marks[state]} ${name.padEnd(12)} ${found}`,
      ...(fix === null ? [] : [`  ${' '.repeat(12)} ${fix}`]),
    ]),
  )
  return checked.report.ok ? EXIT.ok : EXIT.actionRequired
}
