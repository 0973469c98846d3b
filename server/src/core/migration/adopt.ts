import type { BodyOf } from '@slipway/contract/endpoint'
import type { migration } from '@slipway/contract/migration'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import { type Caller, requireUnrestricted } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { insertAdopted } from '../deployments/rows/adopted-store.ts'
import * as grants from '../grants/store.ts'
import type { BaseParts } from '../parts.ts'
import { insertProject } from '../projects/manage.ts'
import type { MayLink } from '../projects/may-link.ts'
import * as settings from '../projects/settings-store.ts'
import { requireServer } from '../servers/find.ts'
import { openEngineTarget } from '../servers/open-engine-target.ts'
import type { SshKeys } from '../servers/ssh-keys.ts'
import type { ServerRow } from '../servers/store.ts'
import { choose } from './choose.ts'
import { type Discovery, discover } from './discover.ts'
import { type Adoption, planAdoption } from './plan-adoption.ts'
import type { ScanSemaphore } from './scan-semaphore.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'serverReading'> & {
  scans: ScanSemaphore
  sshKeys: SshKeys
  mayLink: MayLink
}

/**
 * Records chosen services of a server as a project. The server is looked at anew, and nothing but the choice is believed; everything is
 * recorded or nothing. Nothing there is changed, and nothing is deployed.
 */
export async function adoptServices(
  parts: Parts,
  caller: Caller,
  { serverId, projectName, serviceNames }: BodyOf<typeof migration.adopt>,
  signal: AbortSignal,
) {
  requireUnrestricted(caller)
  const server = await requireServer(parts.db, caller, serverId)
  const look = { orgId: caller.orgId, sizes: false, around: false }
  const found = await parts.scans(server.id, signal, () =>
    discover(parts, openEngineTarget(parts, server), look, signal),
  )
  const adoption = planAdoption(found, choose(found.units, serviceNames))
  const missing = adoption.grants
    .map(pathOf)
    .find((path) => path !== null && (found.realPaths.get(path) ?? null) === null)
  if (missing) throw unseen(missing)
  return transaction(parts.db, (tx) => write(tx, parts, caller, { server, projectName, found, adoption }))
}

/** Of a path, or of a volume that is a path in disguise. */
const pathOf = ({
  kind,
  source,
  device,
}: Pick<Adoption['grants'][number], 'kind' | 'source' | 'device'>): string | null =>
  kind === 'path' ? source : device?.startsWith('/') ? device : null

type Recorded = { server: ServerRow; projectName: string; found: Discovery; adoption: Adoption }

async function write(tx: Tx, parts: Parts, caller: Caller, { server, projectName, found, adoption }: Recorded) {
  const input = { name: projectName, repository: null, branch: null, gitCredential: null, settings: {} }
  await grants.lockServer(tx, caller.orgId, server.id)
  const project = await insertProject(tx, parts, caller, { ...input, serverId: server.id })
  if (!project) throw nameTaken(projectName)
  await refuseTaken(tx, server.id, adoption)
  const services = adoption.services.map((service) => ({ ...service, serverId: server.id }))
  await insertAdopted(tx, parts, project, services)
  for (const { name } of services) await settings.putService(tx, project, name, {})
  const rows = adoption.grants.map(({ kind, source, device, writable }) => ({
    ...{ id: newId('gnt'), orgId: caller.orgId, projectId: project.id, serverId: server.id, engineId: found.engine.id },
    ...{ kind, source, device, writable, createdBy: caller.userName },
    realPath: found.realPaths.get(pathOf({ kind, source, device }) ?? '') ?? null,
  }))
  await grants.insert(tx, rows)
  for (const { id, kind, source, writable } of rows)
    await record(tx, caller, 'grant.create', project.id, { grant: id, kind, source, writable, serverId: server.id })
  const names = services.map(({ name }) => name)
  await record(tx, caller, 'server.adopt', server.id, {
    projectId: project.id,
    services: services.map(({ key }) => key),
  })
  return {
    success: true as const,
    project: { id: project.id, name: project.name, services: names },
    reusedVolumes: adoption.grants.filter(({ kind }) => kind === 'volume').map(({ source }) => source),
    warnings: [...adoption.warnings, ...found.warnings.map((message) => ({ service: null, key: 'server', message }))],
  }
}

/** Two projects that write to one volume would undo each other's work. */
async function refuseTaken(tx: Tx, serverId: string, { grants: wanted }: Adoption): Promise<void> {
  const taken = await grants.takenByOthers(tx, serverId, wanted)
  const both = taken.find(({ kind, source, writable }) => {
    const mine = wanted.find((one) => one.kind === kind && one.source === source)
    return writable || mine?.writable
  })
  if (both)
    throw new Refusal(
      'conflict',
      `The ${both.kind} ${both.source} is used by the project ${JSON.stringify(both.projectName)} already.`,
      {
        field: 'serviceNames',
        hint: 'Delete that project, or revoke what it was granted, before its services are adopted again.',
      },
    )
}

const unseen = (path: string) =>
  new Refusal('server_unreachable', `Adoption failed: the path ${path} of the server could not be looked at.`, {
    hint: 'Check that the path is there, and that the SFTP subsystem is enabled in sshd_config.',
  })

const nameTaken = (name: string) =>
  new Refusal('name_taken', `A project named ${JSON.stringify(name)} exists already.`, {
    field: 'projectName',
    hint: 'Choose another name.',
  })
