import type { BuildAccess } from '@slipway/contract/deployments'
import type { ServiceConfig } from '@slipway/contract/services'
import type { Queryable } from '../../../db/database.ts'
import * as domains from '../../domains/names/store.ts'
import type { BaseParts } from '../../parts.ts'
import type { PlainVariable } from '../../projects/variables.ts'
import type { DeploymentRow } from './store.ts'

/** What a project, or one deployment of it, says of a service. */
export type Setting = { name: string; config: ServiceConfig }

type Service = NonNullable<BuildAccess['services']>[number]
type Name = { host: string; pathPrefix: string | null; service: string; port: number }

/**
 * What a deployment carries for itself alone: its caller may deploy, and may not change the project. It goes before what
 * the project says, for this deployment and its rollbacks. Holds values of variables, so it is sealed at rest.
 */
export type Overrides = { services: Service[]; names: Name[] }
type Sealed = Pick<DeploymentRow, 'id' | 'overrides'>

const NONE: Overrides = { services: [], names: [] }
const placeOf = (deploymentId: string) => `deployment/${deploymentId}/overrides`

export const sealOverrides = ({ keys }: Pick<BaseParts, 'keys'>, id: string, overrides: Overrides) =>
  keys.seal(JSON.stringify(overrides), placeOf(id))

export const overridesOf = ({ keys }: Pick<BaseParts, 'keys'>, { id, overrides }: Sealed): Overrides =>
  overrides === null ? NONE : JSON.parse(keys.open(overrides, placeOf(id)))

/** A service that is named is described anew as a whole, as it would be in the project. */
export function ownSettings({ services }: Overrides, ofProject: Setting[]): Setting[] {
  const own = services.map(({ name, environment: _, ...config }) => ({ name, config }))
  return [...ofProject.filter(({ name }) => !own.some((one) => one.name === name)), ...own]
}

/** Its environment, where one is given, takes the place of all variables of that service. */
export function ownVariables({ services }: Overrides, ofProject: PlainVariable[]): PlainVariable[] {
  const given = services.filter(({ environment }) => environment !== undefined)
  const kept = ofProject.filter(({ service }) => !given.some(({ name }) => name === service))
  const own = given.flatMap(({ name: service, environment = {} }) =>
    Object.entries(environment).map(([name, value]) => ({ id: null, name, value, service, scope: 'runtime' as const })),
  )
  return [...kept, ...own]
}

/** Services whose variables a deployment brings by itself. */
export const ownEnvironments = ({ services }: Overrides): string[] =>
  services.filter(({ environment }) => environment !== undefined).map(({ name }) => name)

/** Where the names of the project lead in this deployment. A name that the project has lost since leads nowhere. */
export async function namesOf(
  { db, keys }: Pick<BaseParts, 'keys'> & { db: Queryable },
  deployment: Sealed & Pick<DeploymentRow, 'projectId'>,
): Promise<Name[]> {
  const ofProject: Name[] = await domains.ofProject(db, deployment.projectId)
  const hosts = new Set(ofProject.map(({ host }) => host))
  const own = overridesOf({ keys }, deployment).names.filter(({ host }) => hosts.has(host))
  const isOwn = (a: Name) => own.some((b) => a.host === b.host && a.pathPrefix === b.pathPrefix)
  return [...ofProject.filter((one) => !isOwn(one)), ...own]
}
