import type { Domain, NewDomain } from '@slipway/contract/domains'
import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Selectable } from 'kysely'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'
import { notFound } from '../../errors.ts'
import { submit } from '../../jobs/enqueue.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { NEWEST, startOf, toPage } from '../page.ts'
import type { Platform } from '../platform.ts'
import { requireProject } from '../projects/find.ts'
import { nameTaken } from './claim.ts'
import * as store from './store.ts'

type Parts = Pick<Platform, 'db' | 'transport'>
type Row = Selectable<Tables['hostName']>

export async function listDomains({ db }: Parts, caller: Caller, id: string, query: PageQuery): Promise<Page<Domain>> {
  const project = await requireProject(db, caller, id)
  const after = startOf(query) === NEWEST ? '' : startOf(query)
  const live = await store.liveHosts(db, project.id)
  const rows = await store.page(db, project.id, after, query.limit)
  return toPage(
    rows,
    query,
    ({ host }) => host,
    (row) => shape(row, live),
  )
}

/** A name leads to one project of one organization; whoever has it may change where on the project it leads. */
export async function addDomain(parts: Parts, caller: Caller, id: string, wanted: NewDomain): Promise<Domain> {
  return transaction(parts.db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    const { host, service, port = 0, targetPath: pathPrefix = null } = wanted
    const row = { host, orgId: project.orgId, projectId: id, service, port, pathPrefix, kind: 'custom' as const }
    if (!(await store.claim(tx, row))) throw nameTaken(host, 'host')
    await leadAnew(tx, parts, project)
    await record(tx, caller, 'domain.add', id, { host, service })
    const [made] = (await store.ofProject(tx, id)).filter((one) => one.host === host)
    if (!made) throw notFound('domain')
    return shape(made, await store.liveHosts(tx, id))
  })
}

export async function removeDomain(parts: Parts, caller: Caller, id: string, host: string) {
  return transaction(parts.db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    if (!(await store.release(tx, id, host))) throw notFound('domain')
    await leadAnew(tx, parts, project)
    await record(tx, caller, 'domain.remove', id, { host })
    return { success: true as const }
  })
}

/** In the project's turn the names lead where they say now; what is being rolled out sees to it itself. */
async function leadAnew(tx: Tx, { transport }: Parts, { id, orgId }: { id: string; orgId: string }): Promise<void> {
  const run = { id: newId('run'), lane: id, kind: 'reroute', orgId, input: {}, supersede: ['reroute'] }
  await submit(tx, transport, run)
}

const shape = ({ host, kind, service, port, pathPrefix, createdAt }: Row, live: Set<string>): Domain => ({
  host,
  kind,
  service,
  port: port === 0 ? null : port,
  targetPath: pathPrefix,
  live: live.has(host),
  createdAt: createdAt.toISOString(),
})
