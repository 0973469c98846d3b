import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { finish } from '../../follow/finish.ts'
import { confirm } from '../../instance/ask.ts'
import { deploymentOf } from '../../instance/deployment.ts'
import { once } from '../../instance/once.ts'
import { planLines } from '../../show/plan.ts'

const hasEnded = ({ status }: Deployment) => !['queued', 'building', 'deploying'].includes(status)

export const redeploy: Command<'redeploy'> = async (call) => {
  const instance = await call.instance()
  const { id } = await deploymentOf(call, instance, call.words[0], hasEnded)
  const begun = performance.now()
  const body = { useExistingCommit: call.flags['same-commit'] }
  const { deployment } = await instance.api.deployments.redeploy({ params: { id }, body, headers: once() })
  return finish(call, instance, { id: deployment.id, begun })
}

export const rollback: Command<'rollback'> = async (call) => {
  const { out, flags } = call
  const instance = await call.instance()
  const target = await deploymentOf(call, instance, call.words[0], isEarlierRelease)
  const params = { id: target.id }
  if (flags['dry-run']) {
    const preview = await instance.api.deployments.rollbackPlan({ params })
    const { plan, rebuilt } = preview
    out.result({ success: true, dryRun: true, deployment: target.id, ...preview }, () => [
      `Going back to #${target.number} would do this; nothing was changed:`,
      ...planLines(plan),
      ...(rebuilt.length > 0 ? [`  built again: ${rebuilt.join(', ')}, whose image is gone from the server`] : []),
    ])
    return EXIT.ok
  }
  const { allowed, reason } = target.actions.rollback ?? { allowed: true, reason: null }
  if (!allowed) throw new Failure(EXIT.unexpected, 'not_now', `#${target.number} cannot be gone back to: ${reason}`)
  // Without a word it is we who chose.
  if (call.words[0] === undefined) await confirm(call, `Go back to #${target.number}?`)
  const begun = performance.now()
  const { deployment } = await instance.api.deployments.rollback({ params, headers: once() })
  return finish(call, instance, { id: deployment.id, begun })
}

/** The newest that became a release and is not the one that serves. */
const isEarlierRelease = ({ active, status, decision }: Deployment) =>
  !active && (status === 'ready' || decision === 'kept')
