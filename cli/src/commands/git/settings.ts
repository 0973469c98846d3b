import { resolve } from 'node:path'
import type { GithostRule } from '@slipway/contract/githost-settings'
import type { Command } from '../../command.ts'
import { jsonBody } from '../../instance/json-body.ts'
import { textOf } from '../../parse/pairs.ts'
import { columns } from '../../show/columns.ts'
import { until } from '../../show/words.ts'

export const rules: Command<'git rules'> = async (call) => {
  const { out } = call
  const body = await jsonBody(call)
  const { api } = await call.instance()
  const found =
    body === undefined
      ? await api.githostSettings.rules()
      : await api.githostSettings.setRules({ body: JSON.parse(body) as { rules: GithostRule[] } })
  out.result(found, () =>
    columns(found.rules.map(({ role, pattern, allow }) => [role, allow ? 'sees' : 'does not see', pattern])),
  )
  if (found.rules.length === 0) out.say('None: everybody sees what is connected.')
}

const named = (app: string | undefined) => (app === undefined ? {} : { slug: app })

export const appKey: Command<'git app-key'> = async (call) => {
  const { cwd, flags, words } = call
  const privateKey = textOf(resolve(cwd, words[0] ?? ''))
  const { api } = await call.instance()
  const result = await api.githostSettings.setKey({ body: { ...named(flags.app), privateKey } })
  call.out.done(result, `${result.slug} signs with that key from now on`)
}

export const hookSecret: Command<'git hook-secret'> = async (call) => {
  const { api } = await call.instance()
  const result = await api.githostSettings.rotateHookSecret({ body: named(call.flags.app) })
  call.out.done(
    result,
    `${result.slug} has another secret; the one before is good for another ${until(result.oldUntil)}`,
  )
}
