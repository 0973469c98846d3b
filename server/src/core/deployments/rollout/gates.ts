import { ProjectSettings } from '@slipway/contract/projects'
import type { Tx } from '../../../db/database.ts'
import type { DeployContext } from '../deploy-context.ts'
import { append } from '../events/events-store.ts'
import { DeployFailure } from '../rows/failure.ts'
import * as store from '../rows/store.ts'

type Answer = { action: 'approve' | 'reject' }

// What comes after has begun: nobody is asked for what another owner has gone past, whatever the settings say by now.
export const askBeforeBuild = (context: DeployContext) =>
  ask(context, 'approve_build', settingsOf(context).approveBuild && !hasBegun(context, 'build'))
export const askBeforeRelease = (context: DeployContext) =>
  ask(context, 'approve_release', settingsOf(context).approveRelease && !context.run.begun('release'))

const hasBegun = ({ run, serviceNames }: Pick<DeployContext, 'run' | 'serviceNames'>, step: string) =>
  run.begun(step) || serviceNames.some((service) => run.begun(`${step}:${service}`))

const settingsOf = (context: DeployContext) => ProjectSettings.parse(context.project.settings)

/** A question holds the project, but no worker; it waits as long as it takes and survives every restart. */
async function ask({ run }: Pick<DeployContext, 'run'>, promptId: string, wanted: boolean): Promise<void> {
  if (!wanted) return
  const onPark = async (tx: Tx) => {
    await store.update(tx, run.id, {
      waitingOn: JSON.stringify({ kind: 'prompt', promptId, since: new Date().toISOString() }),
    })
    await append(tx, run.id, null, [{ type: 'prompt', at: new Date(), data: { promptId } }])
  }
  const { action } = await run.gate<Answer>(promptId, { onPark })
  if (action === 'approve') return
  throw new DeployFailure({
    code: 'not_approved',
    message: 'Someone decided against it.',
    hint: 'Deploy again to ask again.',
  })
}
