import type { Command } from '../../command.ts'
import { deploymentOf } from '../../instance/deployment.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

export const ps: Command<'ps'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id } = await deploymentOf(call, instance, call.words[0], 'active')
  const { data } = await instance.api.deployments.info({ params: { id } })
  const head = ['service', 'state', 'health', 'restarts', 'up', 'node', 'image', ''].map((word) =>
    out.paint('dim', word),
  )
  out.result({ data }, () =>
    data.length === 0
      ? []
      : columns([
          head,
          ...data.map((task) => [
            task.service,
            task.state,
            task.health ?? '',
            String(task.restarts),
            since(task.startedAt),
            task.node ?? '',
            task.image,
            task.error ?? '',
          ]),
        ]),
  )
  if (data.length === 0) out.say('Nothing of it runs.')
}
