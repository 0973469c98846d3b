import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'
import { canAsk, confirm } from '../instance/ask.ts'
import type { Instance } from '../instance/instance.ts'
import { connect } from '../instance/open.ts'

/** How long a second Ctrl-C means the deployment and not only the watching. */
const AGAIN_MS = 2000

/** Somebody left, or the time is over. What was begun goes on, unless it is cancelled now. Answers with how the command ends. */
export async function leave(call: Call, instance: Instance, { id, number }: Deployment): Promise<Failure> {
  const { out, flags } = call
  const more = { deploymentId: id }
  const look = `Look again: slipway inspect ${number}`
  const reason: unknown = call.signal.reason
  if (reason instanceof Error && reason.name === 'TimeoutError')
    return new Failure(
      EXIT.timeout,
      'timeout',
      `#${number} was not done within ${flags.timeout} s, and goes on.`,
      look,
      more,
    )
  const left = (message: string) => new Failure(EXIT.interrupted, 'interrupted', message, look, more)
  // The signal that ended the watching would end the question as well.
  const asking = { ...call, signal: new AbortController().signal }
  if (!canAsk(asking) || call.again === undefined) return left(`#${number} goes on.`)
  out.warn(`#${number} goes on. Ctrl-C again to cancel it.`)
  if (!(await call.again(AGAIN_MS))) return left(`#${number} goes on.`)
  try {
    await confirm(asking, `Cancel #${number}?`)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return left(`#${number} goes on.`)
  }
  await connect(instance, AbortSignal.timeout(30_000)).api.deployments.cancel({ params: { id } })
  return left(`#${number} is being stopped.`)
}
