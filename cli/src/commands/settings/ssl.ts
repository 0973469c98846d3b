import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { once } from '../../instance/once.ts'
import { columns } from '../../show/columns.ts'
import { day } from '../../show/words.ts'

/** Exit code 6 where visitors are warned, or soon will be. */
export const status: Command<'ssl status'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const found = await api.deployments.sslStatus({ body: { domain: call.words[0] ?? '' } })
  const { domain, state, issuer, validTo, daysLeft, altNames, dns, lastError } = found
  const well = state === 'valid'
  out.result(found, () => [
    `${well ? out.paint('green', '✓') : out.paint('red', '✗')} ${domain} ${state.replace('_', ' ')}`,
    ...columns([
      ...(issuer === null ? [] : [['    issuer', issuer]]),
      ...(validTo === null ? [] : [['    ends', `${day(validTo)}, in ${daysLeft} d`]]),
      ...(altNames.length === 0 ? [] : [['    for', altNames.join(', ')]]),
      [
        '    leads to',
        `${dns.addresses.join(', ') || 'nothing'}${dns.pointsHere ? '' : ', which is none of your servers'}`,
      ],
    ]),
    ...(lastError === null ? [] : [`  ${lastError}`]),
  ])
  return well ? EXIT.ok : EXIT.actionRequired
}

export const renew: Command<'ssl renew'> = async (call) => {
  const { out, flags } = call
  const { api } = await call.instance()
  out.say(out.paint('dim', 'The CA is asked; that may take a minute.'))
  const body = { domain: call.words[0] ?? '', force: flags.force }
  const renewed = await api.deployments.sslRenew({ body, headers: once() })
  out.say(
    `${out.paint('green', '✓')} ${renewed.domain} has a new certificate of ${renewed.issuer} until ${day(renewed.validTo)}`,
  )
  out.event(renewed)
}
