import type { Call, Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { readConfig, writeConfig } from '../../instance/config-file.ts'
import { columns } from '../../show/columns.ts'
import { until } from '../../show/words.ts'

export const list: Command<'context ls'> = async ({ env, out }) => {
  const { current, contexts } = readConfig(env)
  const data = Object.entries(contexts).map(([name, { url, tokenId, expiresAt }]) => ({
    name,
    url,
    current: name === current,
    tokenId,
    expiresAt,
  }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.current ? '●' : ' ',
        one.name,
        one.url,
        one.expiresAt === null ? '' : `ends in ${until(one.expiresAt)}`,
      ]),
    ),
  )
  if (data.length === 0) out.say('Nowhere. Sign in with: slipway login URL')
}

export const use: Command<'context use'> = async (call) => {
  const { name, config } = named(call)
  writeConfig(call.env, { ...config, current: name })
  call.out.say(`${call.out.paint('green', '✓')} ${name} is asked from now on`)
  call.out.event({ success: true, current: name })
}

export const remove: Command<'context rm'> = async (call) => {
  const { name, config } = named(call)
  const { [name]: gone, ...contexts } = config.contexts
  writeConfig(call.env, { current: config.current === name ? null : config.current, contexts })
  call.out.say(`${call.out.paint('green', '✓')} ${name} is forgotten; its token ${gone?.tokenId ?? ''} is still good`)
  call.out.event({ success: true, removed: name })
}

function named({ env, words: [name = ''] }: Call) {
  const config = readConfig(env)
  if (config.contexts[name]) return { name, config }
  const known = Object.keys(config.contexts)
  throw usage(
    `You are not signed in to an instance called ${name}.`,
    known.length > 0 ? `There is: ${known.join(', ')}.` : 'slipway login URL',
  )
}
