import type { PageQuery } from '@slipway/contract/pages'
import type { NewProject, ProjectPatch } from '@slipway/contract/projects'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { notFound, Refusal } from '../../errors.ts'
import { type Caller, may, requireUnrestricted } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { forgetProject } from '../deployments/verbs/forget.ts'
import { nameIn } from '../githost/repository-address.ts'
import { isTaken } from '../githost/rule-store.ts'
import type { Platform } from '../platform.ts'
import { requireServer } from '../servers/find.ts'
import { requireProject } from './find.ts'
import { afterMove, sealCredential } from './git-credential.ts'
import * as store from './store.ts'

type Parts = Pick<Platform, 'db' | 'keys' | 'sshKeys' | 'config'>
type ListQuery = PageQuery & { name?: string | undefined }

export const listProjects = ({ pool }: Pick<Platform, 'pool'>, caller: Caller, query: ListQuery) =>
  store.list(pool, caller, query)

export async function showProject({ pool }: Pick<Platform, 'pool'>, caller: Caller, id: string) {
  const project = await store.show(pool, caller, id)
  if (!project) throw notFound('project')
  return project
}

export async function createProject(parts: Parts, caller: Caller, input: NewProject) {
  requireUnrestricted(caller)
  return transaction(parts.db, async (tx) => {
    if (input.serverId !== null) await requireServer(tx, caller, input.serverId)
    const row = await insertProject(tx, parts, caller, input)
    if (!row) throw nameTaken(input.name)
    return store.shape(row)
  })
}

export async function insertProject(tx: Tx, parts: Parts, caller: Caller, input: NewProject) {
  const { name, repository, gitCredential } = input
  const id = newId('prj')
  const row = await store.insert(tx, {
    id,
    orgId: caller.orgId,
    name: input.name,
    repository: input.repository,
    branch: input.branch,
    ...(await sealCredential(parts, { id, name, repository, gitCredential: null }, gitCredential)),
    serverId: input.serverId,
    settings: JSON.stringify(input.settings),
    githostAllowed: await mayLink(tx, parts, caller, repository),
  })
  const detail = { name, repository, ...(gitCredential && { gitCredential: gitCredential.kind }) }
  if (row) await record(tx, caller, 'project.create', row.id, detail)
  return row
}

export async function updateProject(
  parts: Parts,
  caller: Caller,
  id: string,
  patch: ProjectPatch,
  ifMatch: number | null,
) {
  return transaction(parts.db, async (tx) => {
    const before = await requireProject(tx, caller, id)
    if (patch.serverId !== undefined && patch.serverId !== before.serverId) requireUnrestricted(caller)
    if (patch.serverId) await requireServer(tx, caller, patch.serverId)
    const other =
      patch.name === undefined ? undefined : await store.findByName(tx, { ...caller, projectId: null }, patch.name)
    if (patch.name !== undefined && other && other.id !== id) throw nameTaken(patch.name)
    const { settings, gitCredential, ...plain } = patch
    const repository = patch.repository === undefined ? before.repository : patch.repository
    const changes = {
      ...withoutUndefined(plain),
      ...(repository !== before.repository && { ...(await linkedTo(tx, parts, caller, repository)) }),
      ...(patch.branch !== undefined && patch.branch !== before.branch && { headRef: null }),
      ...(gitCredential === undefined
        ? afterMove(before.repository, repository)
        : await sealCredential(parts, { ...before, repository }, gitCredential)),
      ...(settings && { settings: JSON.stringify({ ...before.settings, ...settings }) }),
      ...(settings?.autoDeploy === true && { autoDeployPaused: false }),
    }
    const row = await store.update(tx, caller, id, ifMatch, changes)
    if (!row) throw stale(before.version)
    await record(tx, caller, 'project.update', id, { changed: Object.keys(patch) })
    return store.shape(row)
  })
}

export async function removeProject(
  { db, transport }: Pick<Platform, 'db' | 'transport'>,
  caller: Caller,
  id: string,
  volumes: 'keep' | 'delete',
) {
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    if (await store.isRunning(tx, id)) {
      throw new Refusal('conflict', 'The project is running: a deployment is active or under way.', {
        hint: 'Delete its active deployment with ?force=true first, which stops its services.',
      })
    }
    await forgetProject(tx, transport, project, volumes)
    await store.remove(tx, caller, id)
    await record(tx, caller, 'project.delete', id, { name: project.name, volumes })
    return { success: true as const }
  })
}

/** A credential that cannot read what the connection to the git host reads must not do it by way of a deployment. */
async function mayLink(tx: Tx, { config }: Parts, caller: Caller, repository: string | null): Promise<boolean> {
  if (caller.projectId !== null || !may(caller, 'githost:read')) return false
  const named = nameIn(config.githost.url, repository)
  return named === null || !(await isTaken(tx, caller, `${named.owner}/${named.name}`))
}

/** Another repository: nothing that was known of the one before holds for it. */
const linkedTo = async (tx: Tx, parts: Parts, caller: Caller, repository: string | null) => ({
  githostRepoId: null,
  headRef: null,
  githostProblem: null,
  githostAllowed: await mayLink(tx, parts, caller, repository),
})

const nameTaken = (name: string) =>
  new Refusal('name_taken', `A project named ${JSON.stringify(name)} exists already.`, {
    field: 'name',
    hint: 'Choose another name, or use POST /api/projects/ensure to get the existing one.',
  })

export const stale = (version: number) =>
  new Refusal('stale', `This changed meanwhile: it is at version ${version}.`, {
    hint: 'Read it again and repeat the change with its new ETag.',
  })

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** `undefined` means "not named" and must not reach the database as null. */
export const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as Defined<T>
