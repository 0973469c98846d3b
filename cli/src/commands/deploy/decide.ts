import type { Call, Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { deploymentOf } from '../../instance/deployment.ts'
import { once } from '../../instance/once.ts'
import { columns } from '../../show/columns.ts'

export const keep: Command<'keep'> = (call) => decide(call, 'keep')
export const reject: Command<'reject'> = (call) => decide(call, 'reject')

/** Of a release that came up in part. */
async function decide(call: Call, verb: 'keep' | 'reject'): Promise<void> {
  const { out } = call
  const instance = await call.instance()
  const { id, number } = await deploymentOf(call, instance, call.words[0], ({ decision }) => decision === 'pending')
  const decided = await instance.api.deployments[verb]({ params: { id }, headers: once() })
  const name = (version: { image: string } | null) => version?.image ?? 'nothing'
  out.result(decided, () =>
    columns(decided.services.map((one) => [`  ${one.name}`, `${name(one.runs)} → ${name(one.willRun)}`])),
  )
  out.say(
    `${out.paint('green', '✓')} ${verb === 'keep' ? `What came up of #${number} is kept` : `All of #${number} is taken back`}`,
  )
}

export const respond: Command<'respond'> = async (call) => {
  const { out, words } = call
  const instance = await call.instance()
  const { id, number, waitingOn } = await deploymentOf(call, instance, words[0], 'active')
  if (waitingOn?.promptId === undefined)
    throw new Failure(
      EXIT.unexpected,
      'not_now',
      `#${number} does not wait for an answer.`,
      waitingOn ? `Decide with: slipway keep ${number} or slipway reject ${number}` : null,
    )
  const action = words[1] === 'approve' ? 'approve' : 'reject'
  const result = await instance.api.deployments.respond({
    params: { id },
    body: { promptId: waitingOn.promptId, action },
    headers: once(),
  })
  out.say(`${out.paint('green', '✓')} #${number} ${action === 'approve' ? 'goes on' : 'ends here'}`)
  out.event(result)
}
