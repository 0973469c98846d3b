import type { PublicEndpoint } from '@slipway/contract/deployments'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import type { Platform } from '../platform.ts'
import * as store from './store.ts'

type Project = { id: string; orgId: string; name: string }

/** Port 0 stands for "where the service listens": known after the build. */
const LATER = 0

/** Reserves the host names of a project: a name leads to one project of one organization. */
export async function claimHosts(
  tx: Tx,
  { config }: Pick<Platform, 'config'>,
  project: Project,
  serviceFor: (endpoint: PublicEndpoint) => string | undefined,
  endpoints: PublicEndpoint[] | undefined,
): Promise<void> {
  const known = await store.ofProject(tx, project.id)
  const wanted = endpoints ?? (known.length === 0 ? [{ domainType: 'free' as const }] : [])
  for (const endpoint of wanted) {
    const base = {
      orgId: project.orgId,
      projectId: project.id,
      service: serviceFor(endpoint) ?? 'web',
      port: endpoint.port ?? LATER,
      pathPrefix: endpoint.targetPath ?? null,
    }
    if (endpoint.domainType === 'custom' || endpoint.customDomain !== undefined) {
      if (endpoint.customDomain === undefined)
        throw new Refusal('invalid_request', 'A custom endpoint needs customDomain.', { field: 'publicEndpoints' })
      if (!(await store.claim(tx, { ...base, host: endpoint.customDomain, kind: 'custom' })))
        throw nameTaken(endpoint.customDomain)
    } else {
      const own = known.find((row) => row.kind === 'free')
      if (!own) await claimFree(tx, base, project, config.baseDomain)
      // Asked for by name, so it is meant to lead there from now on.
      else if (endpoints !== undefined) await store.claim(tx, { ...base, host: own.host, kind: 'free' })
    }
  }
}

/** A free name is derived from the project's; where that is taken, part of its id tells it apart. */
async function claimFree(
  tx: Tx,
  base: Omit<store.Claim, 'host' | 'kind'>,
  project: Project,
  domain: string,
): Promise<void> {
  const slug = slugOf(project.name)
  for (const label of [slug, `${slug}-${project.id.slice(-6)}`]) {
    if (await store.claim(tx, { ...base, host: `${label}.${domain}`, kind: 'free' })) return
  }
  throw nameTaken(`${slug}.${domain}`)
}

const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'project'

export const nameTaken = (host: string, field = 'publicEndpoints') =>
  new Refusal('name_taken', `The host name ${host} belongs to another project.`, {
    field,
    hint: 'Choose another name, or release it there first.',
  })
