import { z } from 'zod'
import { decision, keep, reject } from './decisions.ts'
import { logs, projectLogs, stream } from './deployment-logs.ts'
import { Deployment, DeploymentService, DeploymentStep } from './deployment-shape.ts'
import { DEPLOYMENT_STATUSES, TRIGGERS } from './deployment-states.ts'
import { DeploymentStatusSchema } from './deployment-status.ts'
import { diff } from './diff.ts'
import { endpoint } from './endpoint.ts'
import { HostName, PathPrefix } from './host-names.ts'
import { idOf } from './ids.ts'
import { overview } from './overview.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import { pendingChanges } from './pending.ts'
import { DeploymentPlan, rollbackPlan } from './plan.ts'
import { prepare } from './prepare.ts'
import { RunningTask, TaskUsage } from './running.ts'
import { EnvironmentName, ImageReference, ServiceConfig, ServiceName } from './services.ts'
import { serving } from './serving.ts'
import { sslRenew, sslStatus } from './ssl.ts'

const branch = z
  .string()
  .trim()
  .min(1)
  .max(250)
  .regex(/^(?!-)[^\s\p{Cc}~^:?*[\\]+$/u, 'must be a branch name')

export const PublicEndpoint = z.object({
  port: z.number().int().min(1).max(65535).optional(),
  targetPath: PathPrefix.optional(),
  domain: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be one label: lower-case letters, digits and dashes')
    .optional()
    .meta({ description: 'the label of a free name, below the domain of the instance' }),
  customDomain: HostName.optional(),
  domainType: z.enum(['free', 'custom']).optional(),
})
export type PublicEndpoint = z.output<typeof PublicEndpoint>

const ServiceEntry = ServiceConfig.extend({
  name: ServiceName,
  environment: z.record(EnvironmentName, z.string().max(65_536)).optional(),
})

/** For people: what is new in it. */
const message = z.string().trim().min(1).max(500)

export const BuildAccess = z.object({
  projectId: idOf('prj'),
  uploadSessionId: idOf('upl').optional(),
  branch: branch.optional(),
  image: ImageReference.optional(),
  buildStrategy: z.enum(['auto', 'dockerfile', 'static', 'image', 'compose']).default('auto'),
  deployTarget: z.enum(['local', 'server', 'cloud']).optional(),
  serverId: idOf('srv').optional(),
  publicEndpoints: z.array(PublicEndpoint).max(50).optional(),
  services: z.array(ServiceEntry).max(50).optional(),
  message: message.optional().meta({ description: 'what is new in it, for those who look at it later' }),
  deploymentId: idOf('dep').optional().meta({
    description:
      'at a cloud, from an instance that is linked to it: the id that it has there; repeated, it makes no second one',
  }),
  dryRun: z
    .boolean()
    .default(false)
    .meta({ description: 'checks everything, changes nothing, and answers with what would be done' }),
})
export type BuildAccess = z.output<typeof BuildAccess>

const Started = z.object({ success: z.literal(true), deployment_id: idOf('dep'), project_id: idOf('prj') })
/** Of a dry run: nothing was written and nothing runs. */
const Previewed = z.object({
  success: z.literal(true),
  dryRun: z.literal(true),
  project_id: idOf('prj'),
  server_id: idOf('srv'),
  plan: DeploymentPlan,
  assumes: z.string().meta({ description: 'what is not known before it is built' }),
})
const Acted = z.object({ success: z.literal(true), deployment: Deployment })
/** A deployment made of another one: both what `build/access` answers and what the other actions do. */
const Repeated = Started.extend({ deployment: Deployment })
const byId = z.object({ id: idOf('dep') })

const STATE = `(${DEPLOYMENT_STATUSES.join('|')})`
const STATES = new RegExp(`^${STATE}(,${STATE}){0,${DEPLOYMENT_STATUSES.length - 1}}$`)

export const deployments = {
  list: endpoint({
    method: 'GET',
    path: '/api/deployments',
    summary: 'Deployments of the organization, newest first',
    access: { permission: 'deployment:list' },
    query: PageQuery.extend({
      projectId: idOf('prj').optional(),
      status: z
        .string()
        .max(120)
        .regex(STATES, 'must be states of deployments, separated by commas')
        .optional()
        .meta({ description: `one of these or several, separated by commas: ${DEPLOYMENT_STATUSES.join(', ')}` }),
      trigger: z.enum(TRIGGERS).optional(),
      by: z.string().max(200).optional().meta({ description: 'by whom it was begun: the name in `createdBy`' }),
      branch: z.string().max(250).optional(),
      number: z.coerce
        .number()
        .int()
        .min(1)
        .max(2_147_483_647)
        .optional()
        .meta({ description: 'the one with this number; needs projectId' }),
      active: z.enum(['true']).optional().meta({ description: 'only releases that serve' }),
      ids: z
        .string()
        .max(8000)
        .regex(/^dep_\w+(,dep_\w+){0,199}$/, 'must be ids of deployments, separated by commas')
        .optional()
        .meta({ description: 'only these, at most 200, separated by commas; those that are not there are left out' }),
    }),
    response: pageOf(Deployment).extend({
      unreachable: z
        .literal(true)
        .optional()
        .meta({ description: 'not all in a hosted cloud could be asked about in time: found and shown as seen last' }),
    }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/deployments',
    summary: 'Deploy a linked project from its git source',
    access: { permission: 'deployment:write' },
    body: z.object({ projectId: idOf('prj'), branch: branch.optional(), message: message.optional() }),
    response: Started,
    status: 201,
    example: { projectId: idOf('prj').meta()?.example, branch: 'main' },
  }),
  overview,
  prepare,
  buildAccess: endpoint({
    method: 'POST',
    path: '/api/deployments/build/access',
    summary:
      'Create a deployment from a folder upload, a git source or an image, and start it. Services and endpoints become ' +
      'settings of the project if the caller has project:write; otherwise they hold for this deployment and its rollbacks. ' +
      'With deployTarget cloud an instance promotes the project to the hosted cloud that it is linked to. ' +
      'With dryRun nothing is created, and the answer is what would be replaced, removed and routed',
    access: { permission: 'deployment:write' },
    body: BuildAccess,
    response: z.union([Started, Previewed]),
    status: 201,
    example: { projectId: idOf('prj').meta()?.example, uploadSessionId: idOf('upl').meta()?.example },
    bodyLimit: 8 * 1024 * 1024,
  }),
  sslStatus,
  sslRenew,
  show: endpoint({
    method: 'GET',
    path: '/api/deployments/:id',
    summary: 'One deployment: status, addresses, timing, and why it failed if it did',
    access: { permission: 'deployment:read' },
    params: byId,
    query: z.object({
      wait: z.coerce.number().int().min(1).max(60).optional().meta({
        description:
          'seconds to wait for its end, or until it waits for somebody; answers then, or as it is afterwards',
      }),
    }),
    response: Deployment,
  }),
  logs,
  projectLogs,
  serving,
  pendingChanges,
  stream,
  showBuild: endpoint({
    method: 'GET',
    path: '/api/deployments/:id/build',
    summary: 'Where the build stands',
    access: { permission: 'deployment:read' },
    params: byId,
    response: z.object({
      status: DeploymentStatusSchema,
      step: z.string().nullable(),
      steps: z.array(DeploymentStep),
      prompt: z.object({ promptId: z.string(), message: z.string() }).nullable(),
      services: z.array(DeploymentService),
    }),
  }),
  startBuild: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/build',
    summary: 'Start a queued deployment now',
    access: { permission: 'deployment:write' },
    params: byId,
    response: Acted,
    status: 202,
  }),
  respond: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/build/respond',
    summary: 'Answer the question a deployment waits on',
    access: { permission: 'deployment:write' },
    params: byId,
    body: z.object({
      promptId: z.string().max(80),
      action: z.enum(['approve', 'reject']),
      value: z.string().max(1000).optional(),
    }),
    response: Acted,
    status: 202,
    example: { promptId: 'approve_build', action: 'approve' },
  }),
  redeploy: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/redeploy',
    summary: 'Deploy again: the latest commit of the branch, or with useExistingCommit the same one',
    access: { permission: 'deployment:write' },
    params: byId,
    body: z.object({ useExistingCommit: z.boolean().default(false) }),
    response: Repeated,
    status: 201,
    example: { useExistingCommit: true },
  }),
  rollback: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/rollback',
    summary: 'Make the release of this deployment the active one again, as a new deployment without a build',
    access: { permission: 'deployment:write' },
    alsoNeeds: 'deployment:admin',
    params: byId,
    response: Repeated,
    status: 202,
  }),
  rollbackPlan,
  diff,
  pin: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/pin',
    summary: 'Keep the images of this deployment whatever the rollback window is',
    access: { permission: 'deployment:write' },
    params: byId,
    body: z.object({ pinned: z.boolean().default(true) }),
    response: Acted,
    example: { pinned: true },
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/cancel',
    summary: 'Stop a deployment that has not ended; the old release keeps serving',
    access: { permission: 'deployment:write' },
    alsoNeeds: 'deployment:admin',
    params: byId,
    response: Acted,
    status: 202,
  }),
  decision,
  keep,
  reject,
  restart: endpoint({
    method: 'POST',
    path: '/api/deployments/:id/restart',
    summary: 'Restart the containers of the active release one after the other',
    access: { permission: 'deployment:write' },
    params: byId,
    response: Acted,
    status: 202,
  }),
  info: endpoint({
    method: 'GET',
    path: '/api/deployments/:id/info',
    summary: 'Containers as the engine reports them now',
    access: { permission: 'deployment:read' },
    slowMs: 60_000,
    params: byId,
    response: z.object({ data: z.array(RunningTask) }),
  }),
  usage: endpoint({
    method: 'GET',
    path: '/api/deployments/:id/usage',
    summary: 'CPU and memory of each container now',
    access: { permission: 'deployment:read' },
    slowMs: 60_000,
    params: byId,
    response: z.object({ data: z.array(TaskUsage) }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/deployments/:id',
    summary: 'Delete a deployment; the active release only with ?force=true, which stops its services',
    access: { permission: 'deployment:admin' },
    slowMs: 60_000,
    params: byId,
    query: z.object({ force: z.enum(['true', 'false']).default('false') }),
    response: Done,
  }),
} as const
