import type { PublicEndpoint } from '@slipway/contract/deployments'
import type { Queryable, Tx } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import type { Platform } from '../platform.ts'
import * as store from './store.ts'

type Project = { id: string; orgId: string; name: string }
type Config = Pick<Platform, 'config'>

/** Port 0 stands for "where the service listens": known after the build. */
const LATER = 0

/** Reserves the host names of a project: a name leads to one project of one organization. */
export async function claimHosts(
  tx: Tx,
  parts: Config,
  project: Project,
  serviceFor: (endpoint: PublicEndpoint) => string | undefined,
  endpoints: PublicEndpoint[] | undefined,
): Promise<void> {
  const known = await store.ofProject(tx, project.id)
  const wanted = endpoints ?? (known.length === 0 ? [{ domainType: 'free' as const }] : [])
  // In an order that all keep to: two that want the same names wait for each other, and not both for ever.
  for (const endpoint of wanted.toSorted(byName)) {
    const base = {
      orgId: project.orgId,
      projectId: project.id,
      service: serviceFor(endpoint) ?? 'web',
      port: endpoint.port ?? LATER,
      pathPrefix: endpoint.targetPath || null,
    }
    if (endpoint.domainType === 'custom' || endpoint.customDomain !== undefined) {
      if (endpoint.customDomain === undefined)
        throw new Refusal('invalid_request', 'A custom endpoint needs customDomain.', { field: 'publicEndpoints' })
      const host = endpoint.customDomain
      const proved = known.some((row) => row.host === host)
      await claimCustom(tx, parts, { ...base, host }, { field: 'publicEndpoints', proved })
    } else {
      const own = known.find((row) => row.kind === 'free')
      if (!own) await claimFree(tx, parts, base, project)
      // Asked for by name, so it is meant to lead there from now on.
      else if (endpoints !== undefined) await store.claim(tx, { ...base, host: own.host, kind: 'free' })
    }
  }
}

const byName = (a: PublicEndpoint, b: PublicEndpoint) =>
  (a.customDomain ?? '') < (b.customDomain ?? '') ? -1 : Number(a.customDomain !== b.customDomain)

/** `proved`: it is the project's already, or the domain name system says that it is this organization's. */
export async function claimCustom(
  tx: Tx,
  { config }: Config,
  row: Omit<store.Claim, 'kind'>,
  { field, proved }: { field: string; proved: boolean },
): Promise<void> {
  if (isOwnName(config, row.host)) throw ownName(row.host, field)
  if (!proved && (await isBelowAnothers(tx, row.orgId, row.host))) throw belowAnothers(row.host, field)
  if (!(await store.claim(tx, { ...row, kind: 'custom' }))) throw nameTaken(row.host, field)
}

/** What the platform itself is reached by. */
const isOwnName = ({ baseDomain, publicUrl }: Platform['config'], host: string) =>
  [baseDomain, new URL(publicUrl).hostname].includes(host.replace(/^\*\./, ''))

/** Another organization has shown that it sets the records of the names below, or of those beside it. */
export const isBelowAnothers = (db: Queryable, orgId: string, host: string): Promise<boolean> =>
  host.startsWith('*.')
    ? Promise.resolve(false)
    : store.isAnothers(db, orgId, [`*.${host}`, `*.${host.slice(host.indexOf('.') + 1)}`])

/** A free name is derived from the project's; where that is taken, part of its id tells it apart. */
async function claimFree(
  tx: Tx,
  { config }: Config,
  base: Omit<store.Claim, 'host' | 'kind'>,
  project: Project,
): Promise<void> {
  const slug = slugOf(project.name)
  const hosts = [slug, `${slug}-${project.id.slice(-6)}`].map((label) => `${label}.${config.baseDomain}`)
  for (const host of hosts)
    if (!isOwnName(config, host) && (await store.claim(tx, { ...base, host, kind: 'free' }))) return
  throw nameTaken(hosts[0] ?? slug)
}

const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'project'

const nameTaken = (host: string, field = 'publicEndpoints') =>
  new Refusal('name_taken', `The host name ${host} belongs to another project.`, {
    field,
    hint: 'Choose another name, or release it there first.',
  })

const ownName = (host: string, field: string) =>
  new Refusal('name_taken', `The host name ${host} is this instance's own.`, {
    field,
    hint: 'Choose another name. Names below the base domain may be used, one by one.',
  })

const belowAnothers = (host: string, field: string) =>
  new Refusal('name_taken', `Another organization has shown that the names around ${host} are its own.`, {
    field,
    hint: `If this one is yours: set TXT _slipway.${host} to the id of your organization, and add the name to the project.`,
  })
