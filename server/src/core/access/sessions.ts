import type { PageQuery } from '@slipway/contract/pages'
import { transaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { type Caller, requireSession } from './caller.ts'
import { endSessions } from './people-store.ts'
import * as store from './sessions-store.ts'

/** Where a person is signed in is theirs to see and to end: not an access token's, which may have been leaked. */
export async function listSessions({ db }: Pick<BaseParts, 'db'>, caller: Caller, query: PageQuery) {
  requireSession(caller)
  return store.list(db, { userId: caller.userId, current: caller.credentialId }, query)
}

export async function endSession({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string) {
  requireSession(caller)
  return transaction(db, async (tx) => {
    if (!(await store.end(tx, caller.userId, id))) throw notFound('session')
    await record(tx, caller, 'session.end', id)
    return { success: true as const }
  })
}

export async function endOtherSessions({ db }: Pick<BaseParts, 'db'>, caller: Caller) {
  requireSession(caller)
  return transaction(db, async (tx) => {
    const ended = await endSessions(tx, caller.userId, caller.credentialId)
    await record(tx, caller, 'session.end_others', caller.userId, { ended })
    return { success: true as const, ended }
  })
}
