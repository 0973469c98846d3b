import { deployments } from '@slipway/contract/deployments'
import { HOPS_HEADER } from '../../core/cloud/forward.ts'
import { listDeployments } from '../../core/cloud/list-deployments.ts'
import { deploy } from '../../core/cloud/promote/begin.ts'
import { asks } from '../../core/deployments/rows/questions.ts'
import { cancelDeployment } from '../../core/deployments/verbs/cancel.ts'
import { showDecision } from '../../core/deployments/verbs/decision.ts'
import { diffDeployments } from '../../core/deployments/verbs/diff.ts'
import { showInfo } from '../../core/deployments/verbs/info.ts'
import { keepDeployment } from '../../core/deployments/verbs/keep.ts'
import { pinDeployment } from '../../core/deployments/verbs/pin.ts'
import { prepareDeployment } from '../../core/deployments/verbs/prepare.ts'
import { showOverview } from '../../core/deployments/verbs/project/overview.ts'
import { showPendingChanges } from '../../core/deployments/verbs/project/pending-changes.ts'
import { showServing } from '../../core/deployments/verbs/project/serving.ts'
import { redeploy } from '../../core/deployments/verbs/redeploy.ts'
import { rejectDeployment } from '../../core/deployments/verbs/reject.ts'
import { removeDeployment } from '../../core/deployments/verbs/remove.ts'
import { respondToPrompt } from '../../core/deployments/verbs/respond.ts'
import { restartDeployment } from '../../core/deployments/verbs/restart.ts'
import { rollback } from '../../core/deployments/verbs/rollback.ts'
import { showRollbackPlan } from '../../core/deployments/verbs/rollback-plan.ts'
import { showDeployment } from '../../core/deployments/verbs/show.ts'
import { startBuild } from '../../core/deployments/verbs/start-build.ts'
import { showUsage } from '../../core/deployments/verbs/usage.ts'
import { renewCertificate } from '../../core/domains/certificates/renew.ts'
import { showSslStatus } from '../../core/domains/names/ssl-status.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import type { Streams } from '../open-streams.ts'
import { on, type Route } from '../route.ts'
import { watchingRoutes } from './watching.ts'

export const deploymentRoutes = (platform: Platform, stream: Streams): Route[] => [
  on(deployments.list, ({ caller, query, request, reply }) =>
    listDeployments(platform, caller, query, { signal: aborted(reply), hopped: HOPS_HEADER in request.headers }),
  ),
  on(deployments.create, async ({ caller, body, reply }) => {
    const made = await deploy(platform, caller, { ...body, buildStrategy: 'auto', dryRun: false }, aborted(reply))
    return made as Extract<typeof made, { deployment_id: string }>
  }),
  on(deployments.overview, ({ caller }) => showOverview(platform, caller)),
  on(deployments.prepare, ({ caller, body, reply }) => prepareDeployment(platform, caller, body, aborted(reply))),
  on(deployments.buildAccess, ({ caller, body, reply }) => deploy(platform, caller, body, aborted(reply))),
  on(deployments.sslStatus, ({ caller, body, reply }) => showSslStatus(platform, caller, body.domain, aborted(reply))),
  on(deployments.sslRenew, ({ caller, body, reply }) => renewCertificate(platform, caller, body, aborted(reply))),
  ...watchingRoutes(platform, stream),
  on(deployments.showBuild, async ({ caller, params }) => {
    const { status, steps, waitingOn, services } = await showDeployment(platform, caller, params.id)
    const prompt =
      waitingOn?.promptId === undefined ? null : { promptId: waitingOn.promptId, message: asks(waitingOn.promptId) }
    return { status, step: steps.find((step) => step.status === 'running')?.name ?? null, steps, prompt, services }
  }),
  on(deployments.serving, ({ caller, params }) => showServing(platform, caller, params.id)),
  on(deployments.pendingChanges, ({ caller, params }) => showPendingChanges(platform, caller, params.id)),
  on(deployments.startBuild, ({ caller, params }) => startBuild(platform, caller, params.id)),
  on(deployments.respond, ({ caller, params, body }) => respondToPrompt(platform, caller, params.id, body)),
  on(deployments.redeploy, ({ caller, params, body }) => redeploy(platform, caller, params.id, body.useExistingCommit)),
  on(deployments.rollback, ({ caller, params }) => rollback(platform, caller, params.id)),
  on(deployments.rollbackPlan, ({ caller, params, reply }) =>
    showRollbackPlan(platform, caller, params.id, aborted(reply)),
  ),
  on(deployments.diff, ({ caller, params, query }) => diffDeployments(platform, caller, params.id, query.to)),
  on(deployments.pin, ({ caller, params, body }) => pinDeployment(platform, caller, params.id, body.pinned)),
  on(deployments.cancel, ({ caller, params }) => cancelDeployment(platform, caller, params.id)),
  on(deployments.decision, ({ caller, params, reply }) => showDecision(platform, caller, params.id, aborted(reply))),
  on(deployments.keep, ({ caller, params }) => keepDeployment(platform, caller, params.id)),
  on(deployments.reject, ({ caller, params }) => rejectDeployment(platform, caller, params.id)),
  on(deployments.restart, ({ caller, params }) => restartDeployment(platform, caller, params.id)),
  on(deployments.info, ({ caller, params, reply }) => showInfo(platform, caller, params.id, aborted(reply))),
  on(deployments.usage, ({ caller, params, reply }) => showUsage(platform, caller, params.id, aborted(reply))),
  on(deployments.remove, ({ caller, params, query, reply }) =>
    removeDeployment(platform, caller, params.id, query.force === 'true', aborted(reply)),
  ),
]
