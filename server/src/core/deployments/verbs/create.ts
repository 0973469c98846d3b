import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import type { BuildAccess, PublicEndpoint } from '@slipway/contract/deployments'
import { type Tx, transaction } from '../../../db/database.ts'
import { notFound, Refusal } from '../../../errors.ts'
import { type Caller, may, requireUnrestricted } from '../../access/caller.ts'
import { idTaken, type Links, requireInstance } from '../../access/links.ts'
import { record } from '../../audit/record.ts'
import { claimHosts } from '../../domains/names/claim.ts'
import { leadHosts } from '../../domains/names/lead.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import { writeService } from '../../projects/services.ts'
import type { ProjectRow } from '../../projects/store.ts'
import { requireServer } from '../../servers/find.ts'
import * as servers from '../../servers/store.ts'
import { notLinked, requireDeployable } from '../../uploads/mode.ts'
import * as uploads from '../../uploads/store.ts'
import { adoptedOn } from '../rows/adopted-store.ts'
import * as deployments from '../rows/store.ts'
import { type NewDeployment, submitDeployment } from './submit.ts'

export type CreateParts = Pick<BaseParts, 'db' | 'transport' | 'config' | 'keys' | 'changes'> & { links: Links }

/** Deploys an upload, the project's repository or an image: everything is checked and written before anything runs. */
export async function createDeployment(parts: CreateParts, caller: Caller, body: BuildAccess) {
  const made = body.deploymentId === undefined ? await make(parts, caller, body) : await makeOnce(parts, caller, body)
  if (body.services) parts.changes.send(made.project_id)
  return made
}

const make = (parts: CreateParts, caller: Caller, body: BuildAccess) =>
  transaction(parts.db, async (tx) =>
    submitDeployment(tx, parts, caller, await acceptDeployment(tx, parts, caller, body)),
  )

const UNIQUE_VIOLATION = '23505'

/** By the id that an instance has given it. */
async function makeOnce(parts: CreateParts, caller: Caller, body: BuildAccess) {
  const look = () => transaction(parts.db, (tx) => madeBefore(tx, parts, caller, body))
  const before = await look()
  if (before) return before
  try {
    return await make(parts, caller, body)
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
    // Of two at once the other was first; or it is somebody else's.
    const winner = await look()
    if (!winner) throw idTaken('deploymentId')
    return winner
  }
}

/** An instance that did not hear the answer asks once more. */
async function madeBefore(tx: Tx, parts: CreateParts, caller: Caller, { deploymentId, projectId }: BuildAccess) {
  if (deploymentId === undefined) return undefined
  await requireInstance(parts.links, tx, caller, 'deploymentId')
  const before = await deployments.find(tx, caller, deploymentId)
  if (!before) return undefined
  if (before.projectId !== projectId) throw idTaken('deploymentId')
  await record(tx, caller, 'deployment.create', deploymentId, { projectId, madeBefore: true })
  return { success: true as const, deployment_id: deploymentId, project_id: projectId }
}

/** What is asked for, checked and written down as far as the project is concerned. */
export async function acceptDeployment(
  tx: Tx,
  parts: CreateParts,
  caller: Caller,
  body: BuildAccess,
): Promise<NewDeployment & Named> {
  if (body.deployTarget === 'cloud' && parts.config.mode !== 'cloud') throw notLinked('deployTarget')
  const project = await requireProject(tx, caller, body.projectId)
  const overrides = await carry(tx, parts, caller, project, body)
  const source = await sourceOf(tx, parts, caller, project, body)
  const server = await serverOf(tx, caller, project, body)
  if (source.kind === 'adopted') await requireSameServer(tx, project, server)
  if (body.deployTarget === 'local' && server.kind !== 'local') throw notHere(server.name)
  const own = body.deploymentId === undefined ? {} : { id: body.deploymentId }
  const trigger = own.id !== undefined ? 'promote' : source.kind === 'upload' ? 'upload' : 'manual'
  const request = {
    buildStrategy: body.buildStrategy,
    ...(body.publicEndpoints && { publicEndpoints: body.publicEndpoints }),
    ...(body.message !== undefined && { message: body.message }),
  }
  return { ...own, project, serverId: server.id, trigger, source, request, overrides }
}
type Named = { project: ProjectRow }

/**
 * Services and endpoints become settings of the project where the caller may change it. Otherwise they hold for this
 * deployment alone: a credential that may only deploy replaces no variable and claims no name.
 */
export async function carry(
  tx: Tx,
  parts: Pick<CreateParts, 'config' | 'keys'>,
  caller: Caller,
  project: ProjectRow,
  body: BuildAccess,
) {
  const serviceOf = ({ port }: PublicEndpoint) => serviceFor(body.services, port)
  if (may(caller, 'project:write')) {
    for (const { name, ...wanted } of body.services ?? [])
      await writeService(tx, parts.keys, caller, { id: project.id, name, wanted })
    await claimHosts(tx, parts, { ...project, restricted: caller.projectId !== null }, serviceOf, body.publicEndpoints)
    return null
  }
  // The name that every project gets is the platform's to give.
  await claimHosts(tx, parts, project, () => undefined, undefined)
  if (!body.services && !body.publicEndpoints) return null
  const names = await leadHosts(tx, project, serviceOf, body.publicEndpoints ?? [])
  return { services: body.services ?? [], names }
}

/** Whom an endpoint means: the service that listens on its port, else the one that is exposed, else the first. */
function serviceFor(services: BuildAccess['services'] = [], port: number | undefined): string | undefined {
  const [found] = [
    ...services.filter((one) => port !== undefined && one.port === port),
    ...services.filter(({ exposed }) => exposed === true),
    ...services,
  ]
  return found?.name
}

export async function sourceOf(
  tx: Tx,
  { config }: Pick<CreateParts, 'config'>,
  caller: Caller,
  project: ProjectRow,
  body: BuildAccess,
): Promise<DeploymentSource> {
  if (body.uploadSessionId !== undefined) {
    const session = await uploads.find(tx, caller, body.uploadSessionId)
    if (!session) throw notFound('folder session')
    requireDeployable(config, session)
    if (!session.sealedAt) {
      throw new Refusal('not_sealed', 'The folder session is not sealed yet.', {
        field: 'uploadSessionId',
        hint: 'Finish it with POST /api/projects/folder-sessions/:id/seal.',
      })
    }
    return { kind: 'upload', uploadSessionId: body.uploadSessionId }
  }
  if (body.image !== undefined) return { kind: 'image', image: body.image }
  if (project.repository === null && (await adoptedOn(tx, project)) !== undefined) return { kind: 'adopted' }
  if (project.repository === null) {
    throw new Refusal('no_source', 'The project has no repository, and no upload or image was named.', {
      hint: 'Send uploadSessionId or image, or link a repository with PATCH /api/projects/:id.',
    })
  }
  return { kind: 'git', repo: project.repository, branch: body.branch ?? project.branch ?? 'HEAD' }
}

/** Its data is on the server that it was adopted from, and stays there. */
async function requireSameServer(tx: Tx, project: ProjectRow, server: { id: string; name: string }): Promise<void> {
  if ((await adoptedOn(tx, project)) === server.id) return
  throw new Refusal(
    'invalid_request',
    `The services of the project were adopted on another server than ${server.name}.`,
    {
      field: 'serverId',
      hint: 'Leave serverId out, or set the server of the project to the one that they were adopted on.',
    },
  )
}

const notHere = (name: string) =>
  new Refusal('invalid_request', `${name} is not the engine of this machine.`, {
    field: 'deployTarget',
    hint: 'Send deployTarget: server with its serverId, or the serverId of the local engine.',
  })

/** The server named, the project's, or the only one there is. */
async function serverOf(tx: Tx, caller: Caller, project: ProjectRow, { serverId: named, deployTarget }: BuildAccess) {
  if (deployTarget === 'server' && named === undefined) {
    throw new Refusal('invalid_request', 'A deployment to a server needs to say which.', {
      field: 'serverId',
      hint: 'Send serverId, or leave deployTarget out: the server of the project is taken then.',
    })
  }
  // Which of the organization's servers a project runs on is not for a credential of that project alone to say.
  if (named !== undefined && project.serverId !== null && named !== project.serverId) requireUnrestricted(caller)
  const id = named ?? project.serverId
  if (id !== null) return requireServer(tx, caller, id)
  const [only, ...others] = await servers.firstTwo(tx, caller.orgId)
  if (only && others.length === 0) return only
  throw new Refusal(
    'no_server',
    only ? 'The project has no server, and there are several.' : 'There is no server yet.',
    {
      field: 'serverId',
      hint: only ? 'Send serverId, or set the server of the project.' : 'Add one with POST /api/servers.',
    },
  )
}
