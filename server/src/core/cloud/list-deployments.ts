import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Page } from '@slipway/contract/pages'
import type { Caller } from '../access/caller.ts'
import { withinPermissions } from '../deployments/rows/shape.ts'
import { type ListQuery, statesIn } from '../deployments/rows/store.ts'
import { readDeployments } from '../deployments/verbs/show.ts'
import { toPage } from '../page.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './deployments-store.ts'
import type { ForwardParts } from './forward.ts'
import { type Looked, type LookOptions, lookThere } from './look-there.ts'

type Parts = ForwardParts & Pick<BaseParts, 'config' | 'log'>
type Look = ReturnType<typeof lookThere>
type Row = { id: string } & ({ here: Deployment } | { there: store.CloudDeploymentRow })
/** `unreachable`: not all of the cloud's could be asked about in time. */
type Listed = Page<Deployment> & { unreachable?: true }

/** Deployments here and in the cloud as one keyset page; those of the cloud as they are now, or as they were seen last. */
export async function listDeployments(
  parts: Parts,
  caller: Caller,
  query: ListQuery,
  options: LookOptions,
): Promise<Listed> {
  const look = lookThere(parts, caller, options)
  const [here, there] = await Promise.all([
    readDeployments(parts, caller, query),
    parts.config.mode === 'cloud' ? { rows: [], isOfNow: true } : listThere(parts, caller, query, look),
  ])
  const rows: Row[] = [
    ...here.map((one) => ({ id: one.id, here: one })),
    ...there.rows.map((one) => ({ id: one.id, there: one })),
  ]
  // Byte by byte, as the database compares ids.
  rows.sort((one, other) => (one.id < other.id ? 1 : -1))
  const page = toPage(
    rows.slice(0, query.limit + 1),
    query,
    (row) => row.id,
    (row) => row,
  )
  const stubs = page.data.flatMap((row) => ('there' in row ? [row.there] : []))
  await look.look(stubs)
  const data = page.data
    .filter(({ id }) => !look.gone.has(id))
    .map((row) => ('here' in row ? row.here : shown(row.there, look, caller)))
    .filter((one) => fits(one, query))
  const isOfNow = there.isOfNow && stubs.every(({ id }) => look.seen.has(id))
  return { data, nextCursor: page.nextCursor, ...(!isOfNow && { unreachable: true as const }) }
}

/** As many as a cloud answers about at once. */
const MOST_OPEN = 200

/**
 * Rows are found by what was seen of them last. Where it matters how they stand, those that may stand otherwise by now are looked at before:
 * `isOfNow` says whether that could be done for all.
 */
async function listThere(parts: Parts, caller: Caller, query: ListQuery, { look, seen }: Look) {
  if (query.status === undefined && query.active === undefined)
    return { rows: await store.list(parts.db, caller, query), isOfNow: true }
  const open = await store.listOpen(parts.db, caller, query, MOST_OPEN + 1)
  await look(open.slice(0, MOST_OPEN))
  return { rows: await store.list(parts.db, caller, query), isOfNow: open.every(({ id }) => seen.has(id)) }
}

function shown(row: store.CloudDeploymentRow, { seen }: Looked, caller: Caller): Deployment {
  const now = seen.get(row.id) ?? undefined
  const known = now ?? row.shown
  return {
    ...known,
    projectId: row.projectId,
    project: { id: row.projectId, name: row.projectName },
    // A server of theirs is nothing that could be asked about here.
    server: null,
    actions: withinPermissions(known.actions, caller),
    ...(now === undefined && { asOf: row.seenAt.toISOString() }),
    ...(!seen.has(row.id) && { unreachable: true as const }),
  }
}

/** A row was found by what it was when it was seen last. */
const fits = ({ status, active }: Deployment, query: ListQuery) =>
  (query.status === undefined || statesIn(query).includes(status)) && (query.active === undefined || active)
