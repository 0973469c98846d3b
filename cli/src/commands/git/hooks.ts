import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import { once } from '../../instance/once.ts'
import { columns } from '../../show/columns.ts'
import { repositoryIn } from './repositories.ts'

export const list: Command<'git hooks'> = async (call) => {
  const { out } = call
  const params = repositoryIn(call.words)
  const { api } = await call.instance()
  const found = await api.githost.hooks({ params })
  out.result(found, () =>
    columns(
      found.data.map((one) => [
        String(one.hookId),
        one.ours ? 'ours' : '',
        one.active ? 'active' : 'off',
        one.events.join(','),
        one.url,
      ]),
    ),
  )
  if (found.app?.covers) out.say('The app tells of its pushes; no hook is needed.')
  else if (found.data.length === 0) out.say('None. Have its pushes told: slipway git watch OWNER/REPO')
}

const WAYS = {
  app: 'the app tells of them',
  hook: 'a hook tells of them',
  relay: 'the hosted cloud passes them on',
  poll: 'the git host is asked for them',
}

export const watch: Command<'git watch'> = async (call) => {
  const params = repositoryIn(call.words)
  const { api } = await call.instance()
  const result = await api.githost.addHook({ params, headers: once() })
  call.out.done(result, `Pushes to ${params.owner}/${params.repo} are learned of: ${WAYS[result.via]}`)
}

export const unwatch: Command<'git unwatch'> = async (call) => {
  const params = repositoryIn(call.words)
  const hookId = Number(call.words[1])
  if (!Number.isInteger(hookId) || hookId <= 0)
    throw usage(`${call.words[1]} is no hook.`, 'It is a number, as slipway git hooks shows it.')
  const { api } = await call.instance()
  await confirm(call, `Take the hook ${hookId} of ${params.owner}/${params.repo} away?`)
  const result = await api.githost.removeHook({ params, body: { hookId } })
  call.out.done({ ...result, hookId }, `The hook ${hookId} is gone`)
}
