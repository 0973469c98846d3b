import type { PageQuery } from '@slipway/contract/pages'
import type { NewRegistry, RegistryPatch } from '@slipway/contract/registries'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as projects from '../projects/store.ts'
import { stale, withoutUndefined } from '../row-version.ts'
import { requireTaken } from './check.ts'
import { hostName } from './image-name.ts'
import { openPassword, sealPassword } from './password.ts'
import * as store from './store.ts'

type Db = Pick<BaseParts, 'db'>
type Parts = Pick<BaseParts, 'db' | 'config' | 'keys' | 'registryDoor'>

/** All of them are looked at for every image that is fetched. */
export const MOST_REGISTRIES = 200

export const listRegistries = ({ db }: Db, caller: Caller, query: PageQuery) => store.list(db, caller.orgId, query)

export const showRegistry = async ({ db }: Db, caller: Caller, id: string) =>
  store.shape(await requireRegistry(db, caller, id))

export async function createRegistry(parts: Parts, caller: Caller, input: NewRegistry, signal: AbortSignal) {
  const { path, username, password, projectId } = input
  const host = hostName(input.host)
  const id = newId('reg')
  // Before anybody is asked: a password is not sent anywhere for a project that does not exist.
  await requireOwnProject(parts.db, caller, projectId)
  await requireTaken(parts, { host, username, password }, signal)
  return transaction(parts.db, async (tx) => {
    await store.takeTurn(tx, caller.orgId)
    await requireOwnProject(tx, caller, projectId)
    if ((await store.count(tx, caller.orgId)) >= MOST_REGISTRIES) throw tooMany()
    const sealed = sealPassword(parts, id, password)
    const reach = { id, orgId: caller.orgId, projectId, host, path }
    const made = await store.insert(tx, { ...reach, username, password: sealed, lastCheckedAt: new Date() })
    if (!made) throw taken(reach)
    await record(tx, caller, 'registry.create', id, { host, path, projectId })
    return store.shape(made)
  })
}

export async function updateRegistry(
  parts: Parts,
  caller: Caller,
  id: string,
  patch: RegistryPatch,
  more: { ifMatch: number | null; signal: AbortSignal },
) {
  const seen = await requireRegistry(parts.db, caller, id)
  await requireOwnProject(parts.db, caller, patch.projectId ?? null)
  const isNew = patch.username !== undefined || patch.password !== undefined
  const login = {
    host: seen.host,
    username: patch.username ?? seen.username,
    password: patch.password ?? openPassword(parts, seen),
  }
  if (isNew) await requireTaken(parts, login, more.signal)
  return transaction(parts.db, async (tx) => {
    await store.takeTurn(tx, caller.orgId)
    const before = await requireRegistry(tx, caller, id)
    // What was checked is what is stored: a password that another one has set meanwhile was never tried with this name.
    if (isNew && (before.password !== seen.password || before.username !== seen.username)) throw stale(before.version)
    await requireOwnProject(tx, caller, patch.projectId ?? null)
    const { password, ...plain } = withoutUndefined(patch)
    const after = { ...before, ...plain }
    if (await store.hasReach(tx, after, id)) throw taken(after)
    const row = await store.update(tx, caller.orgId, id, more.ifMatch, {
      ...plain,
      ...(password !== undefined && { password: sealPassword(parts, id, password) }),
      ...(isNew && { lastCheckedAt: new Date(), lastCheckError: null }),
    })
    if (!row) throw stale(before.version)
    await record(tx, caller, 'registry.update', id, { changed: Object.keys(patch) })
    return store.shape(row)
  })
}

export async function removeRegistry({ db }: Db, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    const { host, path, projectId } = await requireRegistry(tx, caller, id)
    await store.remove(tx, caller.orgId, id)
    await record(tx, caller, 'registry.delete', id, { host, path, projectId })
    return { success: true as const }
  })
}

async function requireRegistry(db: Tx | BaseParts['db'], caller: Caller, id: string): Promise<store.RegistryRow> {
  const row = await store.find(db, caller.orgId, id)
  if (!row) throw notFound('registry')
  return row
}

/** Unknown, deleted and foreign alike. */
async function requireOwnProject(db: Tx | BaseParts['db'], caller: Caller, projectId: string | null): Promise<void> {
  if (projectId === null || (await projects.find(db, caller, projectId))) return
  throw new Refusal('invalid_request', 'projectId: there is no such project in this organization.', {
    field: 'projectId',
    hint: 'GET /api/projects lists them.',
  })
}

const taken = ({ host, path, projectId }: Pick<store.RegistryRow, 'host' | 'path' | 'projectId'>) =>
  new Refusal(
    'name_taken',
    `There is a credential for ${[host, path].filter((part) => part !== null).join('/')} already.`,
    {
      field: 'host',
      hint: `Change that one (PATCH), or give this one ${projectId === null ? 'a path or a project' : 'another path'}.`,
    },
  )

const tooMany = () =>
  new Refusal('invalid_request', `An organization has at most ${MOST_REGISTRIES} credentials for registries.`, {
    hint: 'Remove one that is not used any more.',
  })
