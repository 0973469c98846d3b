import { Deployment } from '@slipway/contract/deployment-shape'
import type { Page } from '@slipway/contract/pages'
import type { Caller } from '../access/caller.ts'
import { withinPermissions } from '../deployments/rows/shape.ts'
import { type ListQuery, statesIn } from '../deployments/rows/store.ts'
import { readDeployments } from '../deployments/verbs/show.ts'
import { toPage } from '../page.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './deployments-store.ts'
import { ask, type ForwardParts } from './forward.ts'
import * as links from './link-store.ts'
import { isWith } from './whose.ts'

type Parts = ForwardParts & Pick<BaseParts, 'config' | 'log'>
type Row = { id: string } & ({ here: Deployment } | { there: store.CloudDeploymentRow })
/** `hopped`: another instance asks for a list of its own, and not for what a cloud of ours knows. */
type Options = { signal: AbortSignal; hopped: boolean }

const ASK_MS = 1000

/** Deployments here and in the cloud as one keyset page; those of the cloud as they are now, or as they were seen last. */
export async function listDeployments(
  parts: Parts,
  caller: Caller,
  query: ListQuery,
  options: Options,
): Promise<Page<Deployment>> {
  const [here, there] = await Promise.all([
    readDeployments(parts, caller, query),
    parts.config.mode === 'cloud' ? [] : store.list(parts.db, caller, query),
  ])
  const rows: Row[] = [
    ...here.map((one) => ({ id: one.id, here: one })),
    ...there.map((one) => ({ id: one.id, there: one })),
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
  const seen = stubs.length === 0 ? null : await seenNow(parts, caller, stubs, options)
  const data = page.data.map((row) => ('here' in row ? row.here : shown(row.there, seen, caller)))
  return { ...page, data: data.filter((one) => fits(one, query)) }
}

/** What was asked about, and what it is now: null, unless the cloud said. */
type Seen = Map<string, Deployment | null>

/** One bounded question about all that the linked cloud has. Null: nobody could be asked in time. */
async function seenNow(
  parts: Parts,
  caller: Caller,
  stubs: store.CloudDeploymentRow[],
  { signal, hopped }: Options,
): Promise<Seen | null> {
  const link = hopped ? undefined : await links.find(parts.db, caller.orgId)
  const known = stubs.filter(({ cloudOrgId }) => link && isWith(link, cloudOrgId))
  if (!link || known.length === 0) return null
  const path = `/api/deployments?limit=200&ids=${known.map(({ id }) => id).join(',')}`
  const call = { method: 'GET', path, headers: { accept: 'application/json' }, body: null }
  // Whoever lists has little time, which says nothing about the cloud: it is our signal that ends it.
  const hurried = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
  try {
    const answer = await ask(parts, caller, link, call, { signal: hurried })
    if (answer.status !== 200 || !('body' in answer)) return null
    const found = deploymentsIn(answer.body)
    await store.see(parts.db, caller.orgId, found)
    return new Map([...known.map(({ id }) => [id, null] as const), ...found.map((one) => [one.id, one] as const)])
  } catch (error) {
    parts.log.info({ reason: (error as Error).message, orgId: caller.orgId }, 'the cloud was not asked for a list')
    return null
  }
}

/** What has another form than we know is as if it was not said. */
function deploymentsIn(body: Buffer): Deployment[] {
  const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown }
  if (!Array.isArray(data)) return []
  return data.flatMap((one) => Deployment.safeParse(one).data ?? [])
}

function shown(row: store.CloudDeploymentRow, seen: Seen | null, caller: Caller): Deployment {
  const now = seen?.get(row.id) ?? undefined
  const known = now ?? row.shown
  return {
    ...known,
    projectId: row.projectId,
    project: { id: row.projectId, name: row.projectName },
    // A server of theirs is nothing that could be asked about here.
    server: null,
    actions: withinPermissions(known.actions, caller),
    ...(now === undefined && { asOf: row.seenAt.toISOString() }),
    ...(!seen?.has(row.id) && { unreachable: true as const }),
  }
}

/** A row was found by what it was when it was seen last. */
const fits = ({ status, active }: Deployment, query: ListQuery) =>
  (query.status === undefined || statesIn(query).includes(status)) && (query.active === undefined || active)
