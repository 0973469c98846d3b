import type { PublicEndpoint } from '@slipway/contract/deployments'
import type { Tx } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import {
  claimFree,
  claimFreeNames,
  type FreeName,
  freeLabels,
  isOwnName,
  nameTaken,
  type Project,
} from './free-names.ts'
import { isNearAnothers, namesAbove, type Standing, UNPROVED } from './standing.ts'
import * as store from './store.ts'

type Config = Pick<BaseParts, 'config'>

/** Port 0 stands for "where the service listens": known after the build. */
const WHERE_IT_LISTENS = 0

/** Reserves the host names of a project: a name leads to one project of one organization. */
export async function claimHosts(
  tx: Tx,
  parts: Config,
  project: Project,
  serviceFor: (endpoint: PublicEndpoint) => string | undefined,
  endpoints: PublicEndpoint[] | undefined,
): Promise<void> {
  if (endpoints !== undefined) await store.lockNames(tx, project.id)
  const known = await store.ofProject(tx, project.id)
  const wanted = endpoints ?? (known.length === 0 ? [{ domainType: 'free' as const }] : [])
  // In an order that all keep to: two that want the same names wait for each other, and not both for ever.
  const free: FreeName[] = []
  for (const endpoint of wanted.toSorted(byName)) {
    const base = {
      orgId: project.orgId,
      projectId: project.id,
      service: serviceFor(endpoint) ?? 'web',
      port: endpoint.port ?? WHERE_IT_LISTENS,
      pathPrefix: endpoint.targetPath || null,
    }
    if (endpoint.domainType === 'custom' || endpoint.customDomain !== undefined) {
      if (endpoint.customDomain === undefined)
        throw new Refusal('invalid_request', 'A custom endpoint needs customDomain.', { field: 'publicEndpoints' })
      const host = endpoint.customDomain
      // Who sets its records is asked when a name is added to the project, not here.
      const standing = { ...UNPROVED, proved: known.some((row) => row.host === host) }
      await claimCustom(tx, parts, project, { ...base, host }, { field: 'publicEndpoints', standing })
    } else {
      // In the order in which they were said: the first has the project's own name.
      free.push({ ...base, label: endpoint.domain })
    }
  }
  await claimFreeNames(tx, parts, project, free, known)
}

const byName = (a: PublicEndpoint, b: PublicEndpoint) =>
  (a.customDomain ?? '') < (b.customDomain ?? '') ? -1 : Number(a.customDomain !== b.customDomain)

type How = { field: string; standing: Standing }
/** Whose project lost the name by it. */
type Lost = { orgId: string; projectId: string } | null

/** A project is reached by some names, not by hundreds: each wants a certificate, and they are all looked after. */
const MOST_NAMES = 100

export async function claimCustom(
  tx: Tx,
  { config }: Config,
  project: Project,
  row: Omit<store.Claim, 'kind'>,
  { field, standing }: How,
): Promise<Lost> {
  const { host, orgId } = row
  if (isOwnName(config, host)) throw ownName(host, field)
  await refuseForeignFree(tx, { config }, project, row, field)
  if (!standing.proved) await refuseNear(tx, project, host, field)
  const lost = standing.proved ? await takeOver(tx, host, standing.unprovedHolder) : null
  if (!(await store.claim(tx, { ...row, kind: 'custom' }))) throw await taken(tx, orgId, host, field)
  if ((await store.countHosts(tx, project.id)) > MOST_NAMES) throw tooMany(field)
  return lost
}

/**
 * Names below the instance's own domain are given out by the names of projects: another project's, also one that does not
 * exist yet, is not to be had. Deeper ones belong to whoever has the name above.
 */
async function refuseForeignFree(
  tx: Tx,
  parts: Config,
  project: Project,
  row: Omit<store.Claim, 'kind'>,
  field: string,
): Promise<void> {
  const { baseDomain } = parts.config
  const { host, service } = row
  if (!host.endsWith(`.${baseDomain}`)) return
  const labels = host.slice(0, -baseDomain.length - 1).split('.')
  const top = labels.at(-1) ?? ''
  if (labels.length > 1) {
    const holder = async () => (await store.holderOf(tx, `${top}.${baseDomain}`))?.projectId
    // Nobody has the one above yet, and it is this project's to have: with a name below it, it is.
    if ((await holder()) === undefined && freeLabels(project).includes(top)) {
      await claimFree(tx, parts, { ...row, pathPrefix: null }, project)
    }
    if ((await holder()) === project.id) return
  } else if (freeLabels(project, service).includes(top)) return
  throw new Refusal('name_taken', `${host} is not a name that this project gets below ${baseDomain}.`, {
    field,
    hint: `Use ${freeLabels(project, service)[0]}.${baseDomain}, a name below that, or a domain of your own.`,
  })
}

/** Names around another organization's need a record; those below another project's, a caller who may speak for both. */
async function refuseNear(tx: Tx, project: Project, host: string, field: string): Promise<void> {
  if (await isNearAnothers(tx, project.orgId, host)) throw unproved(project.orgId, host, field)
  if (!project.restricted || !(await store.isOtherProjects(tx, project.id, namesAbove(host)))) return
  throw new Refusal('project_restricted', `${host} lies below a name that is not this project's.`, {
    field,
    hint: 'Use a credential without a project restriction.',
  })
}

/** The record of whoever sets them wins over a claim without one. Only if it is still the same organization that has it. */
async function takeOver(tx: Tx, host: string, from: string | null): Promise<Lost> {
  const holder = from === null ? undefined : await store.holderOf(tx, host)
  if (!holder || holder.orgId !== from || holder.projectId === null) return null
  await store.release(tx, holder.projectId, host)
  return { orgId: holder.orgId, projectId: holder.projectId }
}

/** That another organization has it is not said: a record decides, whoever has named it. */
async function taken(tx: Tx, orgId: string, host: string, field: string): Promise<Refusal> {
  const holder = await store.holderOf(tx, host)
  return holder?.orgId === orgId ? nameTaken(host, field) : unproved(orgId, host, field)
}

const unproved = (orgId: string, host: string, field: string) =>
  new Refusal('name_taken', `Nothing shows that the host name ${host} is this organization's.`, {
    field,
    hint: `If it is yours: set TXT _slipway.${host} to ${orgId}, and add the name to the project.`,
  })

const ownName = (host: string, field: string) =>
  new Refusal('name_taken', `The host name ${host} is this instance's own.`, {
    field,
    hint: 'Choose another name.',
  })

const tooMany = (field: string) =>
  new Refusal('too_large', `A project may have at most ${MOST_NAMES} host names.`, {
    field,
    hint: 'Remove names that are not used, use a wildcard, or split the project.',
  })
