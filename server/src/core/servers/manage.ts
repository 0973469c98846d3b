import type { PageQuery } from '@slipway/contract/pages'
import type { NewServer, ServerPatch } from '@slipway/contract/servers'
import type { Insertable } from 'kysely'
import { type Queryable, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'
import { Refusal } from '../../errors.ts'
import { type Caller, requirePermission } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { stale, withoutUndefined } from '../row-version.ts'
import { requireServer } from './find.ts'
import { placeOfKey, sealedKey } from './keys.ts'
import { openEngineTarget } from './open-engine-target.ts'
import type { SshKeys } from './ssh-keys.ts'
import * as store from './store.ts'

type Db = Pick<BaseParts, 'db' | 'config'>
type Parts = Pick<BaseParts, 'db' | 'config' | 'keys'> & { sshKeys: SshKeys }

export const listServers = ({ db, config }: Db, caller: Caller, query: PageQuery) =>
  store.list(db, caller.orgId, query, config)

export const showServer = async ({ db, config }: Db, caller: Caller, id: string) =>
  store.shape(await requireServer(db, caller, id), config)

export async function createServer(parts: Parts, caller: Caller, input: NewServer) {
  // Adding this machine's own engine hands out root on it.
  if (input.kind === 'local') requirePermission(caller, 'server:admin')
  const id = newId('srv')
  const base = { id, orgId: caller.orgId, name: input.name, kind: input.kind }
  const wanted =
    input.kind === 'local' ? { ...base, ...localEngine(parts) } : { ...base, ...(await overSsh(parts, id, input)) }
  return transaction(parts.db, async (tx) => {
    if (await store.hasName(tx, caller.orgId, input.name, null)) throw nameTaken(input.name)
    const row = await store.insert(tx, wanted)
    if (!row && input.kind === 'ssh') throw nameTaken(input.name)
    if (!row) {
      throw new Refusal('engine_taken', 'The engine of this machine already serves an organization.', {
        hint: 'Use another server, reached over SSH.',
      })
    }
    await record(tx, caller, 'server.create', id, { name: row.name, kind: row.kind, host: row.host })
    return store.shape(row, parts.config)
  })
}

/** The socket comes from the operator's configuration, never from a request: it is root on this machine. */
function localEngine({ config }: Pick<BaseParts, 'config'>): Partial<Insertable<Tables['server']>> {
  if (config.localEngine !== null) return { socketPath: config.localEngine }
  throw new Refusal('local_engine_unavailable', 'This instance does not offer its own engine.', {
    field: 'kind',
    hint: "Add a server of kind 'ssh' instead.",
  })
}

async function overSsh(parts: Parts, id: string, input: Extract<NewServer, { kind: 'ssh' }>) {
  const key = await sealedKey(parts, id, input.name, input)
  const { host, port, user, socketPath, hostKey } = input
  return { host, port, loginUser: user, socketPath, hostKey: hostKey ?? null, ...key }
}

export async function updateServer(
  parts: Parts,
  caller: Caller,
  id: string,
  patch: ServerPatch,
  ifMatch: number | null,
) {
  const before = await requireServer(parts.db, caller, id)
  const { user, privateKey, passphrase, ...plain } = patch
  const reaching = Object.keys(patch).some((field) => field !== 'name' && field !== 'policy')
  if (before.kind === 'local' && reaching) {
    throw new Refusal('invalid_request', 'Only the name and the policy of the local engine can be changed.', {
      field: 'name',
    })
  }
  const key = await newKey(parts, before, { privateKey, passphrase })
  // A pinned host key vouches for one machine: another address means another machine.
  const moved = (patch.host !== undefined && patch.host !== before.host) || (patch.port ?? before.port) !== before.port
  const forgotten = moved && patch.hostKey === undefined ? { hostKey: null } : {}
  const changes = { ...withoutUndefined(plain), ...(user !== undefined && { loginUser: user }), ...key, ...forgotten }
  return transaction(parts.db, async (tx) => {
    if (patch.name !== undefined && (await store.hasName(tx, caller.orgId, patch.name, id))) throw nameTaken(patch.name)
    const row = await store.update(tx, caller.orgId, id, ifMatch, {
      ...changes,
      ...(reaching && { lastReport: null, engineId: null }),
    })
    if (!row) throw stale(before.version)
    await record(tx, caller, 'server.update', id, {
      changed: Object.keys(patch),
      ...(patch.policy && { policy: patch.policy }),
    })
    return store.shape(row, parts.config)
  })
}

/** A passphrase alone is for the key that is stored; together they must open. */
async function newKey(
  parts: Parts,
  server: store.ServerRow,
  given: { privateKey?: string | undefined; passphrase?: string | null | undefined },
) {
  if (given.privateKey === undefined && given.passphrase === undefined) return {}
  const privateKey = given.privateKey ?? parts.keys.open(server.privateKey ?? '', placeOfKey(server.id))
  return sealedKey(parts, server.id, server.name, { ...given, privateKey })
}

/** Its engine is free for others afterwards, if it can be reached: what cannot be told stays there. */
export async function removeServer(parts: LeaveParts, caller: Caller, id: string, signal: AbortSignal) {
  const before = await requireServer(parts.db, caller, id)
  await refuseUsed(parts.db, caller, id)
  const left = await leave(parts, before, signal)
  return transaction(parts.db, async (tx) => {
    const server = await requireServer(tx, caller, id)
    await refuseUsed(tx, caller, id)
    await store.remove(tx, caller.orgId, id)
    await record(tx, caller, 'server.delete', id, { name: server.name, ...(left !== null && { left }) })
    return { success: true as const }
  })
}

async function refuseUsed(db: Queryable, caller: Caller, id: string): Promise<void> {
  const used = await store.projectsOn(db, caller.orgId, id)
  if (used.length === 0) return
  const names = used.map(({ name }) => name).join(', ')
  if (used.some(({ runs }) => runs))
    throw new Refusal('server_in_use', `Projects still use this server: ${names}.`, {
      hint: 'Move or delete them first.',
    })
  throw new Refusal('server_in_use', `Deployments were made on this server, of the projects ${names}.`, {
    hint: 'Delete these deployments (DELETE /api/deployments/:id) or their projects first: they could not be shown or brought back without it.',
  })
}

type LeaveParts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'edge' | 'config'>
const LEAVE_MS = 20_000

/** Takes the edge and the mark of the organization away; null, or why that was not possible. */
async function leave(parts: LeaveParts, server: store.ServerRow, signal: AbortSignal): Promise<string | null> {
  const same = await store.sameEngine(parts.db, server)
  // Never used, or reached by another address too.
  if (server.engineId === null || same.some(({ id, engineId }) => id !== server.id && engineId !== null)) return null
  const within = AbortSignal.any([signal, AbortSignal.timeout(LEAVE_MS)])
  try {
    const engine = openEngineTarget(parts, server)
    const { org } = await parts.runtime.owner.read(engine, { signal: within })
    if (org !== server.orgId) return null
    await parts.edge.remove(engine, within)
    await parts.runtime.owner.release(engine, server.orgId, { signal: within })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const nameTaken = (name: string) =>
  new Refusal('name_taken', `A server named ${JSON.stringify(name)} exists already.`, {
    field: 'name',
    hint: 'Choose another name.',
  })
