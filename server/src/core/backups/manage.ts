import type { DestinationPatch, NewDestination } from '@slipway/contract/backup-destinations'
import type { PageQuery } from '@slipway/contract/pages'
import type { Updateable } from 'kysely'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'
import { Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { stale, withoutUndefined } from '../row-version.ts'
import * as servers from '../servers/store.ts'
import { changesWay, type Given, ofKind, requireComplete, requireFitting } from './fields.ts'
import { requireDestination } from './find.ts'
import { whyNotHere, whyNotLocal, whyOutside } from './local-root.ts'
import { requireReachable } from './reach.ts'
import { plainOf, sealSecrets } from './secrets.ts'
import * as store from './store.ts'

type Db = Pick<BaseParts, 'db'>
type Parts = Pick<BaseParts, 'db' | 'config' | 'keys' | 'dns'>

export const listDestinations = ({ db }: Db, caller: Caller, query: PageQuery) => store.list(db, caller.orgId, query)

export const showDestination = async ({ db }: Db, caller: Caller, id: string) =>
  store.shape(await requireDestination(db, caller, id))

export async function createDestination(parts: Parts, caller: Caller, input: NewDestination, signal: AbortSignal) {
  const { kind, name, isDefault, ...sent } = input
  const given = ofKind(kind, sent)
  requireComplete(kind, given)
  await requireAllowed(parts, kind, given, signal)
  const id = newId('dst')
  const row = { ...columnsOf(parts, id, given), id, orgId: caller.orgId, kind, isDefault, ...named(name) }
  return transaction(parts.db, async (tx) => {
    await store.takeTurn(tx, caller.orgId)
    if (await store.hasName(tx, caller.orgId, row.nameKey, null)) throw nameTaken(name)
    await requireOwnServer(tx, parts, caller, given)
    if (isDefault) await store.clearDefault(tx, caller.orgId, id)
    const made = await store.insert(tx, row)
    await record(tx, caller, 'backup_destination.create', id, { name, kind })
    return store.shape(made)
  })
}

export async function updateDestination(
  parts: Parts,
  caller: Caller,
  id: string,
  patch: DestinationPatch,
  more: { ifMatch: number | null; signal: AbortSignal },
) {
  const seen = await requireDestination(parts.db, caller, id)
  requireFitting(seen.kind, patch)
  const { kind: _, name, isDefault, ...sent } = patch
  const given = ofKind(seen.kind, sent)
  await requireAllowed(parts, seen.kind, given, more.signal)
  return transaction(parts.db, async (tx) => {
    await store.takeTurn(tx, caller.orgId)
    const before = await requireDestination(tx, caller, id)
    const changes = { ...columnsOf(parts, id, given), ...forgotten(given, before) }
    requireComplete(before.kind, { ...before, ...changes })
    await requireOwnServer(tx, parts, caller, given)
    if (name !== undefined && (await store.hasName(tx, caller.orgId, keyOf(name), id))) throw nameTaken(name)
    if (isDefault) await store.clearDefault(tx, caller.orgId, id)
    const row = await store.update(tx, caller.orgId, id, more.ifMatch, {
      ...changes,
      ...(name !== undefined && named(name)),
      ...(isDefault !== undefined && { isDefault }),
      ...(changesWay(given, before) && store.UNVERIFIED),
    })
    if (!row) throw stale(before.version)
    await record(tx, caller, 'backup_destination.update', id, { changed: Object.keys(patch) })
    return store.shape(row)
  })
}

export async function removeDestination({ db }: Db, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    const row = await requireDestination(tx, caller, id)
    await store.remove(tx, caller.orgId, id)
    await record(tx, caller, 'backup_destination.delete', id, { name: row.name, kind: row.kind })
    return { success: true as const }
  })
}

type Columns = Updateable<Tables['backupDestination']>

/** What was left out is not named here either, and so stays as it is. */
function columnsOf(parts: Pick<BaseParts, 'keys'>, id: string, given: Given) {
  return { ...withoutUndefined(plainOf(given)), ...sealSecrets(parts, id, given) }
}

/** A pinned host key vouches for one machine: another address means another machine. */
function forgotten({ sshHost, sshPort, hostKey }: Given, before: store.DestinationRow): Columns {
  const elsewhere = (sshHost ?? before.sshHost) !== before.sshHost
  const moved = elsewhere || (sshPort ?? before.sshPort) !== before.sshPort
  return moved && hostKey === undefined ? { hostKey: null } : {}
}

/** What depends on this instance and on where names lead; asked before anything is locked. */
async function requireAllowed(parts: Parts, kind: store.DestinationRow['kind'], given: Given, signal: AbortSignal) {
  const { endpoint, sshHost } = given
  if (kind === 'local') await requireLocal(parts, endpoint)
  else if (endpoint) await requireReachable(parts, 'endpoint', endpoint, signal)
  if (sshHost) await requireReachable(parts, 'sshHost', sshHost, signal)
}

/** At home one that is switched off may still get another name; a hosted instance has none at all. */
async function requireLocal(parts: Parts, endpoint: string | null | undefined): Promise<void> {
  if (!endpoint && parts.config.mode !== 'cloud') return
  const why = whyNotLocal(parts) ?? (endpoint ? await whyOutside(parts, endpoint) : null)
  if (why === null) return
  const field = endpoint ? 'endpoint' : 'kind'
  throw new Refusal('local_destination_refused', why.message, { field, hint: why.hint })
}

/** Unknown, deleted and foreign alike. */
async function requireOwnServer(tx: Tx, parts: Parts, caller: Caller, { serverId }: Given): Promise<void> {
  if (serverId === undefined || serverId === null) return
  const server = await servers.find(tx, caller.orgId, serverId)
  const why = server?.kind === 'local' ? whyNotHere(parts) : null
  if (why !== null) throw new Refusal('local_destination_refused', why.message, { field: 'serverId', hint: why.hint })
  if (server) return
  throw new Refusal('invalid_request', 'serverId: there is no such server in this organization.', {
    field: 'serverId',
    hint: 'GET /api/servers lists them.',
  })
}

/** Names are the same when people would read them as the same. */
const keyOf = (name: string) => name.normalize('NFKC').toLowerCase()
const named = (name: string) => ({ name, nameKey: keyOf(name) })

const nameTaken = (name: string) =>
  new Refusal('duplicate_name', `A backup destination named ${JSON.stringify(name)} exists already.`, {
    field: 'name',
    hint: 'Choose another name.',
  })
