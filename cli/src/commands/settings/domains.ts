import type { Domain, DomainCheck } from '@slipway/contract/domains'
import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { once } from '../../instance/once.ts'
import { listed } from '../../instance/pages.ts'
import { projectOf } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'
import type { Output } from '../../show/output.ts'

export const list: Command<'domains ls'> = async (call) => {
  const { out, flags } = call
  const instance = await call.instance()
  if (flags.all) return listAll(out, instance)
  const { id } = await projectOf(call, instance)
  const data = await listed((query) => instance.api.domains.list({ params: { id }, query }))
  out.result({ data }, () => columns(data.map((one) => row(out, one))))
  if (data.length === 0) out.say('None. Give it one: slipway domains add HOST')
}

async function listAll(out: Output, { api }: Instance): Promise<void> {
  const data = await listed((query) => api.domains.all({ query }))
  out.result({ data }, () => columns(data.map((one) => [one.project.name, ...row(out, one)])))
  if (data.length === 0) out.say('No project has a name.')
}

function row(out: Output, { host, targetPath, service, port, live, redirectTo, dns, certificate }: Domain): string[] {
  const to = redirectTo === null ? `${service}${port === null ? '' : `:${port}`}` : `→ ${redirectTo}`
  const well = live && dns?.ok !== false
  const days = certificate?.daysLeft == null ? '' : `, ${certificate.daysLeft} d`
  const wrong = dns !== null && !dns.ok ? dns.message : (certificate?.reason ?? '')
  return [
    well ? out.paint('green', '✓') : out.paint('yellow', '!'),
    `${host}${targetPath ?? ''}`,
    to,
    live ? 'live' : 'not live',
    certificate === null ? '' : `${certificate.state}${days}`,
    wrong,
  ]
}

export const add: Command<'domains add'> = async (call) => {
  const { out, flags, words } = call
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const [host = ''] = words
  const body = {
    host,
    ...(flags.service !== undefined && { service: flags.service }),
    ...(flags.to !== undefined && { redirectTo: flags.to }),
  }
  const domain = await instance.api.domains.add({ params: { id }, body, headers: once() })
  out.say(
    `${out.paint('green', '✓')} ${domain.host} leads to ${domain.service}. Does it lead here: slipway domains check ${domain.host}`,
  )
  out.event(domain)
}

/** Exit code 6 until somebody has put the record right. */
export const check: Command<'domains check'> = async (call) => {
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const checked = await instance.api.domains.check({ params: { id }, body: { host: call.words[0] ?? '' } })
  call.out.result(checked, () => checkLines(call.out, checked))
  return checked.ok ? EXIT.ok : EXIT.actionRequired
}

function checkLines(out: Output, { ok, host, message, found, wanted, txt }: DomainCheck): string[] {
  if (ok) return [`${out.paint('green', '✓')} ${host} leads here`, `    found   ${found.addresses.join(', ')}`]
  return [
    `${out.paint('red', '✗')} ${message}`,
    `    found   ${[...found.cname, ...found.addresses].join(', ') || 'nothing'}`,
    `    wanted  ${wanted.join(', ') || 'the address of the server, which nobody has told the instance'}`,
    ...(txt.found ? [] : [`    or TXT  ${txt.name}  ${txt.value}`]),
  ]
}

export const remove: Command<'domains rm'> = async (call) => {
  const { out } = call
  const [host = ''] = call.words
  const instance = await call.instance()
  const { id, name } = await projectOf(call, instance)
  await confirm(call, `Take ${host} from ${name}? It leads nowhere then, and anybody may have it.`)
  const result = await instance.api.domains.remove({ params: { id, host } })
  out.say(`${out.paint('green', '✓')} ${host} is no name of ${name} any more`)
  out.event({ ...result, host })
}
