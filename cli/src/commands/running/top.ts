import type { Command } from '../../command.ts'
import { deploymentOf } from '../../instance/deployment.ts'
import { columns } from '../../show/columns.ts'
import { bytes, since } from '../../show/words.ts'

/** What the tasks use at this moment, once: for a watch there is `watch`. */
export const top: Command<'top'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id } = await deploymentOf(call, instance, call.words[0], 'active')
  const params = { id }
  const [{ data: used }, { data: tasks }] = await Promise.all([
    instance.api.deployments.usage({ params }),
    instance.api.deployments.info({ params }),
  ])
  const data = used.map((usage) => {
    const task = tasks.find(({ taskId }) => taskId === usage.taskId)
    const { health = null, restarts = 0, startedAt = null } = task ?? {}
    return { ...usage, health, restarts, startedAt }
  })
  const head = ['service', 'health', 'cpu', 'memory', 'net in/out', 'restarts', 'up'].map((word) =>
    out.paint('dim', word),
  )
  const limit = (most: number | null) => (most === null ? '' : ` of ${bytes(most)}`)
  out.result({ data }, () =>
    columns([
      head,
      ...data.map((one) => [
        one.service,
        one.health ?? '',
        `${Math.round(one.cpuPercent)} %`,
        `${bytes(one.memoryBytes)}${limit(one.memoryLimitBytes)}`,
        `${bytes(one.networkRxBytes)}/${bytes(one.networkTxBytes)}`,
        String(one.restarts),
        since(one.startedAt),
      ]),
    ]),
  )
}
