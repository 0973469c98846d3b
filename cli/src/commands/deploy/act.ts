import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call, Command } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import { deploymentOf } from '../../instance/deployment.ts'
import type { Instance } from '../../instance/instance.ts'
import { once } from '../../instance/once.ts'

type Unsaid = Parameters<typeof deploymentOf>[3]

async function meant(
  call: Call,
  unsaid: Unsaid,
): Promise<{ instance: Instance; deployment: Deployment; params: { id: string } }> {
  const instance = await call.instance()
  const deployment = await deploymentOf(call, instance, call.words[0], unsaid)
  return { instance, deployment, params: { id: deployment.id } }
}

const isUnderWay = ({ status }: Deployment) => ['queued', 'building', 'deploying'].includes(status)

export const cancel: Command<'cancel'> = async (call) => {
  const { instance, deployment, params } = await meant(call, isUnderWay)
  call.out.done(
    await instance.api.deployments.cancel({ params, headers: once() }),
    `#${deployment.number} is being stopped; what served before keeps serving`,
  )
}

export const restart: Command<'restart'> = async (call) => {
  const { instance, deployment, params } = await meant(call, 'active')
  call.out.done(
    await instance.api.deployments.restart({ params, headers: once() }),
    `#${deployment.number} gets new containers, one service after the other`,
  )
}

export const pin: Command<'pin'> = (call) => setPinned(call, true)
export const unpin: Command<'unpin'> = (call) => setPinned(call, false)

async function setPinned(call: Call, pinned: boolean): Promise<void> {
  const { instance, deployment, params } = await meant(call, 'active')
  const result = await instance.api.deployments.pin({ params, body: { pinned }, headers: once() })
  call.out.done(
    result,
    `#${deployment.number} ${pinned ? 'is kept until you unpin it' : 'is cleared away in its time'}`,
  )
}

export const rm: Command<'rm'> = async (call) => {
  const { instance, deployment, params } = await meant(call, 'active')
  const { number, active } = deployment
  if (active && !call.flags.force)
    throw new Failure(
      4,
      'not_now',
      `#${number} is the active release.`,
      'Add --force to stop its services and delete it.',
    )
  await confirm(call, active ? `Stop the services of #${number} and delete it?` : `Delete #${number}?`)
  const result = await instance.api.deployments.remove({ params, query: { force: active ? 'true' : 'false' } })
  call.out.done(result, `#${number} is deleted`)
}
