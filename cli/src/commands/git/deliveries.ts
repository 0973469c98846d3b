import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import type { Command } from '../../command.ts'
import { once } from '../../instance/once.ts'
import { listed } from '../../instance/pages.ts'
import { findProject, namedBy } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

const USUAL = 30

/** Of the whole organization, unless --project names one. */
export const list: Command<'git deliveries'> = async (call) => {
  const { flags, out } = call
  const instance = await call.instance()
  const project = flags.project === undefined ? null : await findProject(instance, namedBy(flags.project))
  const only = {
    ...(project !== null && { projectId: project.id }),
    ...(flags.repo !== undefined && { repo: flags.repo }),
    ...(flags.decision !== undefined && { decision: flags.decision as DeliveryDecision }),
  }
  const data = await listed(
    (page) => instance.api.githostDeliveries.deliveries({ query: { ...only, ...page } }),
    flags.limit ?? USUAL,
  )
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.id,
        `${since(one.receivedAt)} ago`,
        one.repository ?? '',
        (one.ref ?? one.event).replace('refs/heads/', ''),
        (one.after ?? '').slice(0, 7),
        one.decision,
        one.reason ?? one.deploymentId ?? '',
      ]),
    ),
  )
  if (data.length === 0) out.say('None was learned of.')
}

export const replay: Command<'git replay'> = async (call) => {
  const [id = ''] = call.words
  const { api } = await call.instance()
  const result = await api.githostDeliveries.replay({ params: { id }, headers: once() })
  const { decision, reason, deploymentId } = result
  call.out.done(result, [decision, reason, deploymentId].filter(Boolean).join(': '))
}
