import type { CloudLink } from '@slipway/contract/link'
import type { Promotion } from '@slipway/contract/promotion'
import type { Call, Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { pause } from '../../instance/pause.ts'
import { findProject, namedBy, projectOf } from '../../instance/project.ts'
import { day } from '../../show/words.ts'

/** Exit code 6 where somebody has to type the code, or has to mend something. */
export const status: Command<'cloud status'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const found = await api.cloudLink.show()
  const problem = found.problem === undefined ? [] : [`${out.paint('yellow', '!')} ${found.problem}`]
  out.result(found, () => [...linesOf(found, out), ...problem])
  return found.state === 'pending' || found.problem !== undefined ? EXIT.actionRequired : EXIT.ok
}

function linesOf({ state, cloudUrl, ...link }: CloudLink, out: Call['out']): string[] {
  if (state === 'pending') return [`Open ${link.verifyUrl} and enter  ${link.userCode}`]
  if (state === 'none') return [cloudUrl === null ? 'This instance works with no cloud.' : `Not linked to ${cloudUrl}.`]
  const by = link.linkedBy?.name ? ` by ${link.linkedBy.name}` : ''
  const since = link.linkedAt === undefined ? '' : `, since ${day(link.linkedAt)}${by}`
  const relay = link.relay === undefined ? [] : [`  Pushes from there: ${relayed(link.relay)}`]
  return [`${out.paint('green', '✓')} Linked to ${link.organization?.name} at ${cloudUrl}${since}`, ...relay]
}

const RELAYED = {
  following: 'come as they happen',
  waiting: 'not at the moment; the cloud is asked again',
  refused: 'the cloud refuses them; it is asked again every hour',
  off: 'not yet',
}

function relayed({ state, lastNumber, lastAt }: NonNullable<CloudLink['relay']>): string {
  return RELAYED[state] + (lastAt === null ? '' : `; the last one was number ${lastNumber}, ${day(lastAt)}`)
}

/** Exit code 6 where records of its names have to be changed. */
export const promotion: Command<'cloud promotion'> = async (call) => {
  const { out, words } = call
  const instance = await call.instance()
  const { id, name } =
    words[0] === undefined ? await projectOf(call, instance) : await findProject(instance, namedBy(words[0]))
  const found = await instance.api.promotion.show({ params: { id } })
  out.result(found, () => promotionLines(name, found, out))
  return found.state === 'promoted' && found.dns.length > 0 ? EXIT.actionRequired : EXIT.ok
}

function promotionLines(
  name: string,
  { state, step, deploymentId, error, dns }: Promotion,
  out: Call['out'],
): string[] {
  const at = state === 'running' && step !== null ? `, at ${step}` : ''
  const records = dns.map(({ host, type, now, wanted }) => {
    const from = now.length === 0 ? 'nothing' : now.join(', ')
    return `  ${host}  ${type}  ${from} → ${wanted.length === 0 ? 'remove it' : wanted.join(', ')}`
  })
  return [
    `${out.paint('bold', name)} ${state}${at}  ${out.paint('dim', deploymentId)}`,
    ...(error === null ? [] : [`  ${error.message}`, ...(error.hint === null ? [] : [`  ${error.hint}`])]),
    ...(records.length === 0 ? [] : ['Change these records for its visitors to come to the cloud:', ...records]),
  ]
}

/** Shows the code that somebody types at the cloud, and waits until they have decided. */
export const link: Command<'cloud link'> = async (call) => {
  const { out, flags } = call
  const instance = await call.instance()
  const begun = await instance.api.cloudLink.begin()
  out.warn(`  Open ${begun.verifyUrl}, as an owner or admin there, and enter   ${out.paint('bold', begun.userCode)}`)
  out.event({ event: 'waiting', ...begun })
  if (flags['no-wait']) return EXIT.actionRequired
  return untilLinked(call, instance, begun.interval)
}

/** The instance itself says when the code has expired, so this ends. */
async function untilLinked({ out, signal }: Call, { api }: Instance, seconds: number): Promise<number> {
  for (;;) {
    await pause(seconds * 1000, signal)
    const found = await api.cloudLink.show({ signal })
    if (found.state === 'pending') continue
    if (found.state === 'linked') {
      out.done({ success: true, ...found }, `Linked to ${found.organization?.name}`)
      return EXIT.ok
    }
    const why = found.problem ?? 'The link was given up by somebody else.'
    throw new Failure(EXIT.refused, 'not_linked', why, 'Begin anew: slipway cloud link')
  }
}

export const unlink: Command<'cloud unlink'> = async (call) => {
  const { api } = await call.instance()
  await confirm(call, 'End the link to the cloud?')
  const ended = await api.cloudLink.end({ query: { force: call.flags.force ? 'true' : 'false' } })
  call.out.done(ended, ended.revokedThere ? 'Ended, here and at the cloud' : 'Ended here')
  if (ended.hint !== undefined) call.out.say(`  ${ended.hint}`)
}
