import type { PageQuery } from '@slipway/contract/pages'
import type { NewProject, ProjectPatch } from '@slipway/contract/projects'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { notFound, Refusal } from '../../errors.ts'
import { type Caller, requireUnrestricted } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import { requireServer } from '../servers/find.ts'
import { requireProject } from './find.ts'
import * as store from './store.ts'

type Db = Pick<Platform, 'db'>
type ListQuery = PageQuery & { name?: string | undefined }

export const listProjects = ({ pool }: Pick<Platform, 'pool'>, caller: Caller, query: ListQuery) =>
  store.list(pool, caller, query)

export async function showProject({ pool }: Pick<Platform, 'pool'>, caller: Caller, id: string) {
  const project = await store.show(pool, caller, id)
  if (!project) throw notFound('project')
  return project
}

export async function createProject({ db }: Db, caller: Caller, input: NewProject) {
  requireUnrestricted(caller)
  return transaction(db, async (tx) => {
    if (input.serverId !== null) await requireServer(tx, caller, input.serverId)
    const row = await insertProject(tx, caller, input)
    if (!row) throw nameTaken(input.name)
    return store.shape(row)
  })
}

export async function insertProject(tx: Tx, caller: Caller, input: NewProject) {
  const row = await store.insert(tx, {
    id: newId('prj'),
    orgId: caller.orgId,
    name: input.name,
    repository: input.repository,
    branch: input.branch,
    serverId: input.serverId,
    settings: JSON.stringify(input.settings),
  })
  if (row) await record(tx, caller, 'project.create', row.id, { name: row.name, repository: row.repository })
  return row
}

export async function updateProject(
  { db }: Db,
  caller: Caller,
  id: string,
  patch: ProjectPatch,
  ifMatch: number | null,
) {
  return transaction(db, async (tx) => {
    const before = await requireProject(tx, caller, id)
    if (patch.serverId) await requireServer(tx, caller, patch.serverId)
    const other =
      patch.name === undefined ? undefined : await store.findByName(tx, { ...caller, projectId: null }, patch.name)
    if (patch.name !== undefined && other && other.id !== id) throw nameTaken(patch.name)
    const { settings, ...plain } = patch
    const changes = {
      ...withoutUndefined(plain),
      ...(settings && { settings: JSON.stringify({ ...before.settings, ...settings }) }),
    }
    const row = await store.update(tx, caller, id, ifMatch, changes)
    if (!row) throw stale(before.version)
    await record(tx, caller, 'project.update', id, { changed: Object.keys(patch) })
    return store.shape(row)
  })
}

export async function removeProject({ db }: Db, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    if (await store.isRunning(tx, id)) {
      throw new Refusal('conflict', 'The project is running: a deployment is active or under way.', {
        hint: 'Delete its active deployment with ?force=true first, which stops its services.',
      })
    }
    await store.remove(tx, caller, id)
    await record(tx, caller, 'project.delete', id, { name: project.name })
    return { success: true as const }
  })
}

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
