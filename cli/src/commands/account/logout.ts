import { ApiError } from '@slipway/contract/client'
import type { Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { readConfig, writeConfig } from '../../instance/config-file.ts'
import { connect } from '../../instance/open.ts'
import { targetOf } from '../../instance/target.ts'

/** Forgets the token in any case; whether it is also ended is up to whether the instance answers. */
export const logout: Command<'logout'> = async (call) => {
  const { env, out } = call
  const { context: name, url } = targetOf(call)
  const config = readConfig(env)
  const context = name === null ? undefined : config.contexts[name]
  if (name === null || context === undefined)
    throw new Failure(
      EXIT.signedOut,
      'signed_out',
      `You are not signed in to ${url}.`,
      'slipway context ls lists where you are.',
    )
  const ended = await endToken(connect({ url: context.url, token: context.token, context: name }, call.signal))
  const { [name]: _, ...rest } = config.contexts
  writeConfig(env, { current: config.current === name ? null : config.current, contexts: rest })
  out.say(`${out.paint('green', '✓')} Signed out of ${context.url}${ended === null ? ', and the token has ended' : ''}`)
  if (ended !== null) {
    out.warn(
      `${out.paint('yellow', '!')} The token${context.tokenId ? ` ${context.tokenId}` : ''} is still good: ${ended}`,
    )
    out.warn('  Somebody who may end it does so with: slipway tokens revoke ID')
  }
  out.event({ success: true, context: name, revoked: ended === null, ...(ended !== null && { because: ended }) })
}

/** Why it could not be ended; null when it was, or had been already. */
async function endToken({ api }: ReturnType<typeof connect>): Promise<string | null> {
  try {
    await api.tokens.endSelf()
    return null
  } catch (error) {
    if (error instanceof ApiError) return error.status === 401 ? null : error.message
    if (error instanceof Failure) return error.message
    throw error
  }
}
