import type { Domain, NewDomain } from '@slipway/contract/domains'
import { type Tx, transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { notFound, Refusal } from '../../../errors.ts'
import { submit } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import * as certificates from '../certificates/store.ts'
import { claimCustom } from './claim.ts'
import { shapeOf } from './shape.ts'
import { standingOf } from './standing.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'config' | 'dns'>

/** A name leads to one project of one organization; whoever has it may change where on the project it leads. */
export async function addDomain(
  parts: Parts,
  caller: Caller,
  id: string,
  wanted: NewDomain,
  signal: AbortSignal,
): Promise<Domain> {
  const standing = await standingOf(parts, await requireProject(parts.db, caller, id), wanted.host, signal)
  return transaction(parts.db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    await store.lockNames(tx, id)
    const { host, service, port = 0, targetPath, https, redirectTo = null } = wanted
    const pathPrefix = targetPath || null
    const use = { redirect: https !== 'offered', hsts: https === 'hsts', redirectTo }
    const row = {
      host,
      orgId: project.orgId,
      projectId: id,
      service,
      port,
      pathPrefix,
      ...use,
    }
    if (redirectTo !== null) await requireOther(tx, id, host, redirectTo)
    const claimant = { ...project, restricted: caller.projectId !== null }
    const lost = await claimCustom(tx, parts, claimant, row, { field: 'host', standing })
    if (lost) await tellLoser(tx, parts, lost, host)
    await certificates.lookSoon(tx, id)
    await leadAnew(tx, parts, project)
    await record(tx, caller, 'domain.add', id, { host, service })
    const made = (await store.ofProject(tx, id)).find((one) => one.host === host && one.pathPrefix === pathPrefix)
    if (!made) throw notFound('domain')
    return (await shapeOf(tx, parts, [made]))(made)
  })
}

export async function removeDomain(parts: Parts, caller: Caller, id: string, host: string, path: string | undefined) {
  return transaction(parts.db, async (tx) => {
    const project = await requireProject(tx, caller, id)
    const done =
      path === undefined ? store.release(tx, id, host) : store.releasePath(tx, id, { host, pathPrefix: path })
    if (!(await done)) throw notFound('domain')
    await leadAnew(tx, parts, project)
    await record(tx, caller, 'domain.remove', id, { host, ...(path !== undefined && { targetPath: path }) })
    return { success: true as const }
  })
}

/** In the project's turn the names lead where they say now; what is being rolled out sees to it itself. */
async function leadAnew(tx: Tx, { transport }: Parts, { id, orgId }: { id: string; orgId: string }): Promise<void> {
  const run = { id: newId('run'), lane: id, kind: 'reroute', orgId, input: {}, supersede: ['reroute'] }
  await submit(tx, transport, { ...run, urgency: 'short' })
}

/** Its visitors go elsewhere now; that is for its own log. */
async function tellLoser(
  tx: Tx,
  parts: Parts,
  { orgId, projectId }: { orgId: string; projectId: string },
  host: string,
) {
  await leadAnew(tx, parts, { id: projectId, orgId })
  const actor = { kind: 'system', name: 'a TXT record of the domain', orgId } as const
  await record(tx, actor, 'domain.lost', projectId, { host, record: `_slipway.${host.replace(/^\*\./, '')}` })
}

/** Only to a name that leads somewhere itself: nobody is sent around in circles, also when two are added at once. */
async function requireOther(tx: Tx, projectId: string, host: string, redirectTo: string): Promise<void> {
  const names = await store.ofProject(tx, projectId)
  const other = names.find((one) => one.host === redirectTo)
  const sender = names.find((one) => one.redirectTo === host)
  if (sender)
    throw new Refusal('invalid_request', `${sender.host} sends its visitors to ${host}: it must lead to a service.`, {
      field: 'redirectTo',
      hint: `Let ${sender.host} lead elsewhere first.`,
    })
  if (other && other.host !== host && other.redirectTo === null) return
  throw new Refusal('invalid_request', `${redirectTo} is not a name of this project that leads to a service.`, {
    field: 'redirectTo',
    hint: 'Add that name first, without redirectTo.',
  })
}
