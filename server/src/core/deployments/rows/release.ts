import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { BaseParts } from '../../parts.ts'
import type { PlainVariable } from '../../projects/variables.ts'
import type { Wait } from './blueprint.ts'
import { privateNetwork, publicNetwork } from './network-names.ts'

/** A variable as a release was made with it; of its value only what tells another one from it. */
export type UsedVariable = Pick<PlainVariable, 'name' | 'service' | 'scope'> & { id: string; hash: string }
/** `own`: services whose variables the deployment brought for itself, whatever the project says. */
export type UsedVariables = { services: string[]; own?: string[]; used: UsedVariable[] }

/** All that brings a release back: the specs of its services, with their environment. Sealed at rest. */
export type Release = {
  /** Each after those it waits for. One that is as it was before keeps its spec, and the deployment that brought it. */
  services: ServiceSpec[]
  after?: Record<string, Wait[]>
  /** Where each listens for the edge. */
  ports?: Record<string, number>
  /** The one that names lead to where nothing else is said. */
  main?: string | null
  networks?: { name: string; internal: boolean }[]
  /** Which variables of the project it was made with, each group of services. Releases of old do not say. */
  variables?: UsedVariables[]
}

const placeOf = (deploymentId: string) => `deployment/${deploymentId}/release`

export const sealRelease = ({ keys }: Pick<BaseParts, 'keys'>, id: string, release: Release) =>
  keys.seal(JSON.stringify(release), placeOf(id))

export const openRelease = ({ keys }: Pick<BaseParts, 'keys'>, id: string, sealed: string): Release =>
  onOwnNetworks(JSON.parse(keys.open(sealed, placeOf(id))))

/** Releases of old name a network that all projects of a server shared; they are brought back on the project's own. */
function onOwnNetworks(release: Release): Release {
  const services = release.services.map((spec) => {
    const own = privateNetwork(spec.project)
    const networks = spec.networks.map(({ name, aliases }) => ({
      name: name === own || name.startsWith(`${own}-`) ? name : publicNetwork(spec.project),
      aliases,
    }))
    return { ...spec, networks }
  })
  return { ...release, services }
}

/** The release of a row; nothing where it never came to one. */
export const releaseOf = (
  parts: Pick<BaseParts, 'keys'>,
  row: { id: string; release: string | null } | undefined,
): Release => (row?.release ? openRelease(parts, row.id, row.release) : { services: [] })

/**
 * Whether what runs belongs to a deployment. A service that was left as it was still bears the name of the deployment that
 * brought it.
 */
export function partOf(
  parts: Pick<BaseParts, 'keys'>,
  row: { id: string; release: string | null },
): (service: string, deployment: string | null) => boolean {
  const { services } = releaseOf(parts, row)
  const brought = new Map(services.map((spec) => [spec.service, spec.deployment]))
  return (service, deployment) => deployment === (brought.get(service) ?? row.id)
}

/** Where a service listens for the edge. Releases of old have one service, which was told so. */
export const portOf = ({ ports, services }: Release, name: string): number =>
  ports?.[name] ?? Number(services.find(({ service }) => service === name)?.environment.PORT ?? 8080)
