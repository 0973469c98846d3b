import { deployments } from '@slipway/contract/deployments'
import {
  cancelDeployment,
  pinDeployment,
  redeploy,
  respondToPrompt,
  rollback,
  startBuild,
} from '../../core/deployments/act.ts'
import { createDeployment } from '../../core/deployments/create.ts'
import { listDeployments, showDeployment } from '../../core/deployments/find.ts'
import { followEvents } from '../../core/deployments/follow.ts'
import { readLogs } from '../../core/deployments/logs.ts'
import { removeDeployment } from '../../core/deployments/remove.ts'
import { restartDeployment, showInfo, showUsage } from '../../core/deployments/running.ts'
import type { Platform } from '../../core/platform.ts'
import { resumePoint, sendEvents } from '../event-stream.ts'
import { untilGone } from '../gone.ts'
import { on, type Route } from '../route.ts'

export const deploymentRoutes = (platform: Platform): Route[] => [
  on(deployments.list, ({ caller, query }) => listDeployments(platform, caller, query)),
  on(deployments.create, ({ caller, body }) => createDeployment(platform, caller, { ...body, buildStrategy: 'auto' })),
  on(deployments.buildAccess, ({ caller, body }) => createDeployment(platform, caller, body)),
  on(deployments.show, ({ caller, params }) => showDeployment(platform, caller, params.id)),
  on(deployments.logs, ({ caller, params, query, reply }) =>
    readLogs(platform, caller, params.id, query, untilGone(reply)),
  ),
  on(deployments.stream, async ({ caller, params, query, request, reply }) => {
    const follow = await followEvents(platform, caller, params.id, resumePoint(request, query.since))
    if (follow === null) return void reply.code(204).send()
    await sendEvents(reply, platform.draining, follow)
  }),
  on(deployments.showBuild, async ({ caller, params }) => {
    const { status, steps, waitingOn, services } = await showDeployment(platform, caller, params.id)
    const prompt =
      waitingOn?.promptId === undefined ? null : { promptId: waitingOn.promptId, message: 'Waiting for an approval.' }
    return { status, step: steps.find((step) => step.status === 'running')?.name ?? null, steps, prompt, services }
  }),
  on(deployments.startBuild, ({ caller, params }) => startBuild(platform, caller, params.id)),
  on(deployments.respond, ({ caller, params, body }) => respondToPrompt(platform, caller, params.id, body)),
  on(deployments.redeploy, ({ caller, params, body }) => redeploy(platform, caller, params.id, body.useExistingCommit)),
  on(deployments.rollback, ({ caller, params }) => rollback(platform, caller, params.id)),
  on(deployments.pin, ({ caller, params, body }) => pinDeployment(platform, caller, params.id, body.pinned)),
  on(deployments.cancel, ({ caller, params }) => cancelDeployment(platform, caller, params.id)),
  on(deployments.restart, ({ caller, params, reply }) =>
    restartDeployment(platform, caller, params.id, untilGone(reply)),
  ),
  on(deployments.info, ({ caller, params, reply }) => showInfo(platform, caller, params.id, untilGone(reply))),
  on(deployments.usage, ({ caller, params, reply }) => showUsage(platform, caller, params.id, untilGone(reply))),
  on(deployments.remove, ({ caller, params, query, reply }) =>
    removeDeployment(platform, caller, params.id, query.force === 'true', untilGone(reply)),
  ),
]
