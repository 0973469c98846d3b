import type { ErrorCode } from '@slipway/contract/errors'
import { transaction } from '../../db/database.ts'
import type { RegistryLogin } from '../../drivers/engine/registry-login.ts'
import type { RegistryFailure, RegistryFailureCode } from '../../drivers/registry/registry.ts'
import { isFailure, notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { isNamed, mayConnect } from '../networks/may-connect.ts'
import type { BaseParts } from '../parts.ts'
import { openPassword } from './password.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'config' | 'registryDoor'>

/** Refuses a login that the registry does not take, or that it could not be asked about. */
export async function requireTaken(parts: Parts, login: RegistryLogin, signal: AbortSignal): Promise<void> {
  const failure = await whyNot(parts, login, signal)
  if (failure === null) return
  const code = CODES[failure.code] ?? 'registry_unreachable'
  throw new Refusal(code, failure.message, { hint: failure.hint, field: FIELDS[code] ?? 'host', cause: failure })
}

const CODES: Partial<Record<RegistryFailureCode, ErrorCode>> = {
  login_refused: 'registry_refused',
  asks_nobody: 'registry_refused',
  no_registry: 'registry_refused',
  token_server_refused: 'registry_refused',
  address_refused: 'address_refused',
}
const FIELDS: Partial<Record<ErrorCode, string>> = { registry_refused: 'password' }

/** For a caller who hangs up as well: it ends by itself, and what it finds is kept. */
const TO_THE_END = new AbortController().signal

/** Asks now, with what is stored. What is wrong with it is an answer, not an error. */
export async function checkRegistry(
  parts: Parts & Pick<BaseParts, 'db' | 'keys'>,
  caller: Caller,
  id: string,
): Promise<{ ok: boolean; reason?: string }> {
  const row = await store.find(parts.db, caller.orgId, id)
  if (!row) throw notFound('registry')
  const { host, username } = row
  const failure = await whyNot(parts, { host, username, password: openPassword(parts, row) }, TO_THE_END)
  const reason = failure && `${failure.message} ${failure.hint}`
  await transaction(parts.db, async (tx) => {
    await store.saveFound(tx, row, reason)
    await record(tx, caller, 'registry.check', id, { ok: failure === null })
  })
  return reason === null ? { ok: true } : { ok: false, reason }
}

async function whyNot({ config, registryDoor }: Parts, login: RegistryLogin, signal: AbortSignal) {
  const guards = { mayConnect: mayConnect(config), mayConnectPlain: isNamed(config) }
  try {
    await registryDoor.check(login, { ...guards, signal })
    return null
  } catch (error) {
    if (!isFailure(error, 'registry')) throw error
    return error as RegistryFailure
  }
}
