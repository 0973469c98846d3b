import type { PageQuery } from '@slipway/contract/pages'
import type { ServiceConfig } from '@slipway/contract/services'
import { type Tx, transaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { requireProject } from './find.ts'
import * as store from './settings-store.ts'
import { sealVariables } from './variables.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'>
type Wanted = ServiceConfig & { environment?: Record<string, string> | undefined }

export async function listServices({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string, query: PageQuery) {
  return store.listServices(db, await requireProject(db, caller, id), query)
}

export async function putService(
  { db, keys, changes }: Parts & Pick<BaseParts, 'changes'>,
  caller: Caller,
  id: string,
  name: string,
  wanted: Wanted,
) {
  const done = await transaction(db, (tx) => writeService(tx, keys, caller, { id, name, wanted }))
  changes.send(id)
  return done
}

/** For a caller that has more to write in the same transaction. */
export async function writeService(
  tx: Tx,
  keys: BaseParts['keys'],
  caller: Caller,
  service: { id: string; name: string; wanted: Wanted },
) {
  const { id, name } = service
  const { environment, ...config } = service.wanted
  const project = await requireProject(tx, caller, id)
  const updatedAt = await store.putService(tx, project, name, config)
  if (environment !== undefined) {
    await store.removeVariables(tx, project, name)
    const rows = Object.entries(environment).map(([variable, value]) => ({
      name: variable,
      value,
      scope: 'runtime' as const,
      service: name,
    }))
    await sealVariables(tx, keys, project, rows)
  }
  const names = (await store.variableNames(tx, project, name)).map((row) => row.name)
  await record(tx, caller, 'service.put', id, { service: name, keys: Object.keys(config), environment: names })
  return { name, config, environment: names, updatedAt: updatedAt.toISOString() }
}

export async function removeService({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string, name: string) {
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    if (!(await store.removeService(tx, project, name))) throw notFound('service')
    await store.removeVariables(tx, project, name)
    await record(tx, caller, 'service.delete', id, { service: name })
    return { success: true as const }
  })
}
