import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import type { BuildAccess } from '@slipway/contract/deployments'
import { type Tx, transaction } from '../../db/database.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { claimHosts } from '../domains/claim.ts'
import type { Platform } from '../platform.ts'
import { requireProject } from '../projects/find.ts'
import { writeService } from '../projects/services.ts'
import type { ProjectRow } from '../projects/store.ts'
import { requireServer } from '../servers/find.ts'
import * as servers from '../servers/store.ts'
import * as uploads from '../uploads/store.ts'
import { submitDeployment } from './submit.ts'

type Parts = Pick<Platform, 'db' | 'transport' | 'config' | 'keys' | 'changes'>

/** Deploys an upload, the project's repository or an image: everything is checked and written before anything runs. */
export async function createDeployment(parts: Parts, caller: Caller, body: BuildAccess) {
  if (body.deployTarget === 'cloud') {
    throw new Refusal('invalid_request', 'This instance is not linked to a hosted cloud.', { field: 'deployTarget' })
  }
  const made = await transaction(parts.db, async (tx) => {
    const project = await requireProject(tx, caller, body.projectId)
    for (const { name, ...wanted } of body.services ?? [])
      await writeService(tx, parts.keys, caller, { id: project.id, name, wanted })
    const source = await sourceOf(tx, caller, project, body)
    const server = await serverOf(tx, caller, project, body.serverId)
    await claimHosts(tx, parts, project, (endpoint) => serviceFor(body.services, endpoint.port), body.publicEndpoints)
    const trigger = source.kind === 'upload' ? 'upload' : 'manual'
    const request = {
      buildStrategy: body.buildStrategy,
      ...(body.publicEndpoints && { publicEndpoints: body.publicEndpoints }),
    }
    return submitDeployment(tx, parts, caller, { project, serverId: server.id, trigger, source, request })
  })
  if (body.services) parts.changes.send(made.project_id)
  return made
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

async function sourceOf(tx: Tx, caller: Caller, project: ProjectRow, body: BuildAccess): Promise<DeploymentSource> {
  if (body.uploadSessionId !== undefined) {
    const session = await uploads.find(tx, caller, body.uploadSessionId)
    if (!session) throw notFound('folder session')
    if (!session.sealedAt) {
      throw new Refusal('not_sealed', 'The folder session is not sealed yet.', {
        field: 'uploadSessionId',
        hint: 'Finish it with POST /api/projects/folder-sessions/:id/seal.',
      })
    }
    return { kind: 'upload', uploadSessionId: body.uploadSessionId }
  }
  if (body.image !== undefined) return { kind: 'image', image: body.image }
  if (project.repository === null) {
    throw new Refusal('no_source', 'The project has no repository, and no upload or image was named.', {
      hint: 'Send uploadSessionId or image, or link a repository with PATCH /api/projects/:id.',
    })
  }
  return { kind: 'git', repo: project.repository, branch: body.branch ?? project.branch ?? 'HEAD' }
}

/** The server named, the project's, or the only one there is. */
async function serverOf(tx: Tx, caller: Caller, project: ProjectRow, named: string | undefined) {
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
