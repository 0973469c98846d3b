import type { BuildAccess } from '@slipway/contract/deployments'
import { type Tx, transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { Refusal } from '../../../errors.ts'
import { submit } from '../../../jobs/enqueue.ts'
import { type Caller, requirePermission } from '../../access/caller.ts'
import type { Links } from '../../access/links.ts'
import { record } from '../../audit/record.ts'
import { carry, createDeployment, sourceOf } from '../../deployments/verbs/create.ts'
import { tryDeployment } from '../../deployments/verbs/dry-run.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import type { ProjectRow } from '../../projects/store.ts'
import { notLinked } from '../../uploads/mode.ts'
import * as uploads from '../../uploads/store.ts'
import * as stubs from '../deployments-store.ts'
import * as links from '../link-store.ts'
import * as promotions from '../promotion-store.ts'
import { isWith, notLinkedTo } from '../whose.ts'
import { laneOf } from './pipeline.ts'
import { promotionRunning } from './refusals.ts'
import { asQueued } from './stub-shape.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'config' | 'keys' | 'changes' | 'runtime' | 'edge'> & { links: Links }

/** Deploys on a server of this instance or, where that is meant, in the hosted cloud: then the project is promoted. */
export async function deploy(parts: Parts, caller: Caller, body: BuildAccess, signal: AbortSignal) {
  if (!(await isForCloud(parts, caller, body)))
    return body.dryRun ? tryDeployment(parts, caller, body, signal) : createDeployment(parts, caller, body)
  if (body.dryRun) throw noPreview()
  return promote(parts, caller, body)
}

/** What is said decides; then what the folder was uploaded for; then where the project is. */
async function isForCloud({ db, config }: Parts, caller: Caller, body: BuildAccess): Promise<boolean> {
  if (config.mode === 'cloud') return false
  if (body.deployTarget !== undefined) return body.deployTarget === 'cloud'
  if (body.serverId !== undefined) return false
  const session = body.uploadSessionId && (await uploads.find(db, caller, body.uploadSessionId))
  return (session && session.mode === 'cloud') || (await requireProject(db, caller, body.projectId)).target === 'cloud'
}

/** Everything is checked and written before anything runs: the promotion, its run, and what lists show of it. */
async function promote(parts: Parts, caller: Caller, body: BuildAccess) {
  if (body.serverId !== undefined) throw noServer()
  const made = await transaction(parts.db, async (tx) => {
    const project = await requireProject(tx, caller, body.projectId)
    const link = await links.find(tx, caller.orgId)
    if (!link) throw project.target === 'cloud' ? linkGone() : notLinked('deployTarget')
    if (!isWith(link, project.cloudOrgId)) throw await withAnother(tx, project)
    // It changes the project, and claims its names elsewhere.
    if (project.target === 'server') requirePermission(caller, 'project:write')
    if ((await carry(tx, parts, caller, project, body)) !== null) requirePermission(caller, 'project:write')
    const source = await sourceOf(tx, parts, caller, project, body)
    if (source.kind === 'adopted') throw staysHere()
    return begin(tx, parts, { caller, project, cloudOrgId: link.cloudOrgId, asked: { ...askedIn(body), source } })
  })
  if (body.services) parts.changes.send(made.project_id)
  return made
}

const askedIn = ({ buildStrategy, publicEndpoints, message }: BuildAccess) => ({
  buildStrategy,
  ...(publicEndpoints && { publicEndpoints }),
  ...(message !== undefined && { message }),
})

type Begun = { caller: Caller; project: ProjectRow; cloudOrgId: string; asked: promotions.PromotionRow['asked'] }

async function begin(tx: Tx, { transport }: Parts, { caller, project, cloudOrgId, asked }: Begun) {
  const id = newId('dep')
  const { orgId, id: projectId } = project
  const row = {
    id,
    orgId,
    projectId,
    cloudOrgId,
    asked: JSON.stringify(asked),
    createdBy: JSON.stringify(creatorIn(caller)),
  }
  if (!(await promotions.insert(tx, row))) throw promotionRunning('Another promotion of the project is running.')
  await submit(tx, transport, { id, lane: laneOf(projectId), kind: 'promote', orgId, input: {} })
  const number = await stubs.nextNumber(tx, orgId, projectId)
  const { source, message = null } = asked
  await stubs.insert(tx, {
    orgId,
    projectId,
    cloudOrgId,
    shown: [asQueued(caller, { id, projectId, number, source, message })],
  })
  const detail = { projectId, number, trigger: 'promote', source: source.kind, target: 'cloud' }
  await record(tx, caller, 'deployment.create', id, detail)
  return { success: true as const, deployment_id: id, project_id: projectId }
}

const creatorIn = ({ kind, credentialId, userId, userName, orgId, address, requestId }: Caller) => ({
  ...{ kind, credentialId, userId, userName, orgId, address, requestId },
})

const noPreview = () =>
  new Refusal('invalid_request', 'What the hosted cloud would do cannot be previewed from here.', {
    field: 'dryRun',
    hint: 'Leave dryRun out, or send deployTarget: server with a serverId to preview it on a server of this instance.',
  })

const noServer = () =>
  new Refusal('invalid_request', 'In the hosted cloud a deployment has no server of this instance.', {
    field: 'serverId',
    hint: 'Leave serverId or deployTarget: cloud out.',
  })

const linkGone = () =>
  new Refusal('cloud_unreachable', 'The project is in the hosted cloud, and the organization is not linked to it.', {
    hint: 'Link the organization anew, or send deployTarget: server with a serverId to deploy it here.',
  })

/** What is deployed there would be another project of the same name, and the first one would be forgotten here. */
async function withAnother(tx: Tx, { orgId, cloudOrgId }: ProjectRow): Promise<Refusal> {
  const { code, message } = await notLinkedTo(tx, orgId, cloudOrgId)
  return new Refusal(code, message, {
    hint: 'Link the organization there again; or give the project back (DELETE /api/projects/:id/promotion), and promote it anew.',
  })
}

const staysHere = () =>
  new Refusal('invalid_request', 'Adopted services run where their data is, and cannot be promoted.', {
    field: 'deployTarget',
    hint: 'Give the project a repository, or send uploadSessionId or image: that is deployed there.',
  })
