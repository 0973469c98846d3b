import type { Domain, ListedDomain } from '@slipway/contract/domains'
import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Caller } from '../../access/caller.ts'
import { NEWEST, startOf, toPage } from '../../page.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import { shapeOf } from './shape.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'config'>

export async function listDomains(parts: Parts, caller: Caller, id: string, query: PageQuery): Promise<Page<Domain>> {
  const { orgId } = await requireProject(parts.db, caller, id)
  const rows = await store.page(parts.db, { orgId, projectId: id }, placeOf(startOf(query)), query.limit)
  return toPage(rows, query, keyOf, await shapeOf(parts.db, parts, rows))
}

/** Of all projects that the caller may see, each with its project; three statements, however many projects those are. */
export async function listAllDomains(
  parts: Parts,
  caller: Caller,
  query: PageQuery & { projectId?: string | undefined },
): Promise<Page<ListedDomain>> {
  const place = placeOf(startOf(query))
  const { projectId = caller.projectId } = query
  // Whoever may see one project and asks for another sees nothing.
  if (caller.projectId !== null && caller.projectId !== projectId) return { data: [], nextCursor: null }
  const rows = await store.page(parts.db, { orgId: caller.orgId, projectId }, place, query.limit)
  const shape = await shapeOf(parts.db, parts, rows)
  return toPage(rows, query, keyOf, (row) => ({
    ...shape(row),
    project: { id: row.projectId, name: row.projectName },
  }))
}

const keyOf = ({ host, pathPrefix }: store.Named) => `${host}${pathPrefix ?? ''}`

/** A host has no slash, and a path begins with one. */
function placeOf(key: string): store.Place {
  if (key === NEWEST) return { host: '', pathPrefix: '' }
  const at = key.indexOf('/')
  return at < 0 ? { host: key, pathPrefix: '' } : { host: key.slice(0, at), pathPrefix: key.slice(at) }
}
