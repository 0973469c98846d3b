import type { PageQuery } from '@slipway/contract/pages'
import type { SetVariable } from '@slipway/contract/services'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { requireProject } from './find.ts'
import * as store from './settings-store.ts'

type Db = Pick<BaseParts, 'db'>
type Parts = Pick<BaseParts, 'db' | 'keys'>
/** Whoever follows what the project prints hears that its secrets are others now. */
type Telling = Pick<BaseParts, 'changes'>

const MOST = 1000
/** A sealed value opens only in the row it was sealed for. */
const placeOf = (variableId: string) => `variable/${variableId}/value`

export async function listVariables({ db }: Db, caller: Caller, id: string, query: PageQuery) {
  return store.listVariables(db, await requireProject(db, caller, id), query)
}

export async function setVariables(parts: Parts & Telling, caller: Caller, id: string, wanted: SetVariable[]) {
  const { db, keys, changes } = parts
  const done = await transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    const variables = await sealVariables(tx, keys, project, lastOfEach(wanted))
    await record(tx, caller, 'variable.set', id, { names: variables.map((variable) => variable.name) })
    return { success: true as const, variables }
  })
  changes.send(id)
  return done
}

export async function sealVariables(
  tx: Tx,
  keys: BaseParts['keys'],
  project: { id: string; orgId: string },
  wanted: SetVariable[],
) {
  if (wanted.length === 0) return []
  const stored = await store.putVariables(
    tx,
    wanted.map(({ name, value, service, scope }) => {
      const id = newId('var')
      const sealed = keys.seal(value, placeOf(id))
      return { id, projectId: project.id, orgId: project.orgId, service: service ?? '', name, scope, value: sealed }
    }),
  )
  if (Number(await store.countVariables(tx, project)) <= MOST) return stored
  throw new Refusal('too_large', `A project may have at most ${MOST} variables.`, { field: 'variables' })
}

/** Named twice in one request: the last one counts, as in an env file. */
const lastOfEach = (wanted: SetVariable[]) => [
  ...new Map(wanted.map((v) => [`${v.service ?? ''}/${v.name}`, v])).values(),
]

/** `id`: another one whenever it is set anew; null of what a deployment brings for itself. */
export type PlainVariable = {
  id: string | null
  name: string
  service: string | null
  scope: SetVariable['scope']
  value: string
}

export const openVariables = (
  { keys }: Pick<BaseParts, 'keys'>,
  rows: Awaited<ReturnType<typeof store.allVariables>>,
): (PlainVariable & { id: string })[] =>
  rows.map(({ id, name, service, scope, value }) => ({
    id,
    name,
    service: service || null,
    scope,
    value: keys.open(value, placeOf(id)),
  }))

/** So much of a sealed value is enough for its first 385 bytes, and so much for the 192 that it is recognised by. */
const START = 584
const HEAD = 328

/**
 * What is needed to recognise the values of a project: the shortest of them whole, as many as have room in so many
 * characters; of each other one the first 48 or more. A thousand long values are not read for a few lines.
 */
export async function recognisableValues(
  { db, keys }: Parts,
  project: { id: string; orgId: string },
  budget: number,
): Promise<(string | { head: string })[]> {
  const rows = await store.startsOfVariables(db, project, START)
  const short = rows.filter(({ length }) => length <= START)
  const long = rows.filter(({ length }) => length > START).sort((a, b) => a.length - b.length)
  let left = budget - short.reduce((sum, { length }) => sum + length, 0)
  let fitting = 0
  for (const { length } of long) {
    left -= length
    if (left < 0) break
    fitting++
  }
  const ids = long.slice(0, fitting).map(({ id }) => id)
  const whole = ids.length === 0 ? [] : openVariables({ keys }, await store.variablesOf(db, project, ids))
  return [
    ...short.map(({ id, start }) => keys.open(start, placeOf(id))),
    ...whole.map(({ value }) => value),
    ...long.slice(fitting).map(({ start }) => ({ head: keys.peek(start.slice(0, HEAD)) })),
  ]
}

export async function revealVariables({ db, keys }: Parts, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    const rows = await store.allVariables(tx, project)
    await record(tx, caller, 'variable.reveal', id, { names: rows.map((row) => row.name) })
    const variables = rows.map((row) => ({ ...store.shapeVariable(row), value: keys.open(row.value, placeOf(row.id)) }))
    return { success: true as const, variables }
  })
}

export async function removeVariable(
  { db }: Db,
  caller: Caller,
  id: string,
  name: string,
  service: string | undefined,
) {
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    if ((await store.removeVariables(tx, project, service ?? '', name)) === 0) throw notFound('variable')
    await record(tx, caller, 'variable.delete', id, { name, service: service ?? null })
    return { success: true as const }
  })
}
