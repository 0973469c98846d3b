import type { PublicEndpoint } from '@slipway/contract/deployments'
import type { Tx } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import * as store from './store.ts'

/**
 * Where names that a project has already lead in one deployment, by a caller who may not change the project: no name is
 * claimed, and what the project says about them stays.
 */
export async function leadHosts(
  tx: Tx,
  project: { id: string },
  serviceFor: (endpoint: PublicEndpoint) => string | undefined,
  endpoints: PublicEndpoint[],
) {
  const known = await store.ofProject(tx, project.id)
  return endpoints.map((endpoint) => {
    const isCustom = endpoint.domainType === 'custom' || endpoint.customDomain !== undefined
    const wanted = isCustom ? endpoint.customDomain : undefined
    const isFree = ({ host, kind }: store.Named) =>
      kind === 'free' && (endpoint.domain === undefined || host.startsWith(`${endpoint.domain}.`))
    const found = known.find((one) => (isCustom ? one.host === wanted : isFree(one)))
    if (!found) throw notTheirs(wanted ?? endpoint.domain)
    const service = serviceFor(endpoint) ?? found.service
    return { host: found.host, pathPrefix: endpoint.targetPath || null, service, port: endpoint.port ?? 0 }
  })
}

const notTheirs = (host: string | undefined) =>
  new Refusal(
    'permission_denied',
    `${host ?? 'This name'} is not a name of the project, and adding one changes the project.`,
    {
      requires: 'project:write',
      field: 'publicEndpoints',
      hint: 'Add the name to the project first, or use a credential that has project:write.',
    },
  )
