import type { PageQuery } from '@slipway/contract/pages'
import type { NewProject, ProjectPatch } from '@slipway/contract/projects'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { notFound, Refusal } from '../../errors.ts'
import { type Caller, requireUnrestricted } from '../access/caller.ts'
import { idTaken, type Links, requireInstance } from '../access/links.ts'
import { record } from '../audit/record.ts'
import type { LimitParts } from '../limits/most.ts'
import { requireRoom } from '../limits/require-room.ts'
import type { BaseParts } from '../parts.ts'
import { stale, withoutUndefined } from '../row-version.ts'
import { requireServer } from '../servers/find.ts'
import type { SshKeys } from '../servers/ssh-keys.ts'
import { requireProject } from './find.ts'
import { afterMove, sealCredential } from './git-credential.ts'
import type { MayLink } from './may-link.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'> & LimitParts & { sshKeys: SshKeys; mayLink: MayLink }
type ListQuery = PageQuery & { name?: string | undefined }

export const listProjects = ({ pool }: Pick<BaseParts, 'pool'>, caller: Caller, query: ListQuery) =>
  store.list(pool, caller, query)

export async function showProject({ pool }: Pick<BaseParts, 'pool'>, caller: Caller, id: string) {
  const project = await store.show(pool, caller, id)
  if (!project) throw notFound('project')
  return project
}

export async function createProject(parts: Parts & { links: Links }, caller: Caller, input: NewProject) {
  requireUnrestricted(caller)
  return transaction(parts.db, async (tx) => {
    if (input.id !== undefined) await requireInstance(parts.links, tx, caller, 'id')
    if (input.serverId !== null) await requireServer(tx, caller, input.serverId)
    const row = (await insertProject(tx, parts, caller, input)) ?? (await madeBefore(tx, caller, input))
    return store.shape(row, caller)
  })
}

/** By an instance that did not hear the answer. Neither the name nor the id of another is to be had. */
async function madeBefore(tx: Tx, caller: Caller, { id, name }: NewProject): Promise<store.ShownRow> {
  const before = id === undefined ? undefined : await store.findToShow(tx, caller, id)
  if (!before) throw id === undefined || (await store.findByName(tx, caller, name)) ? nameTaken(name) : idTaken('id')
  await record(tx, caller, 'project.create', before.id, { name: before.name, madeBefore: true })
  return before
}

/** Nothing where the name is taken: that is found before whether there is room for one more. */
export async function insertProject(tx: Tx, parts: Parts, caller: Caller, input: NewProject) {
  const { name, repository, gitCredential } = input
  const id = input.id ?? newId('prj')
  const row = await store.insert(tx, {
    id,
    orgId: caller.orgId,
    name: input.name,
    repository: input.repository,
    branch: input.branch,
    ...(await sealCredential(parts, { id, name, repository, gitCredential: null }, gitCredential)),
    serverId: input.serverId,
    settings: JSON.stringify(input.settings),
    githostAllowed: await parts.mayLink(tx, caller, repository),
  })
  const detail = { name, repository, ...(gitCredential && { gitCredential: gitCredential.kind }) }
  if (!row) return undefined
  await requireRoom(parts, tx, caller.orgId, 'projects', { made: 1 })
  await record(tx, caller, 'project.create', row.id, detail)
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
    return store.shape(row, caller)
  })
}

/** Another repository: nothing that was known of the one before holds for it. */
const linkedTo = async (tx: Tx, parts: Parts, caller: Caller, repository: string | null) => ({
  githostRepoId: null,
  headRef: null,
  githostProblem: null,
  githostAllowed: await parts.mayLink(tx, caller, repository),
})

const nameTaken = (name: string) =>
  new Refusal('name_taken', `A project named ${JSON.stringify(name)} exists already.`, {
    field: 'name',
    hint: 'Choose another name, or use POST /api/projects/ensure to get the existing one.',
  })
