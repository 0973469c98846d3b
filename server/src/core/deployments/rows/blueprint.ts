import type { ServiceConfig } from '@slipway/contract/services'
import type { LaidFile } from '../../../drivers/runtime/rollout/spec.ts'
import type { ComposeService, MemoryVolume } from '../../../source/compose/deployable/service.ts'
import type { BaseParts } from '../../parts.ts'

/** What is deployed, service by service: how each image comes about and how it runs. Holds values, so it is sealed at rest. */
export type Blueprint = {
  /** Each after those it waits for. */
  services: ServicePlan[]
  /** Of the project, besides the one that is always there. */
  networks: { key: string; internal: boolean }[]
  /** The one that names lead to where nothing else is said; null when no service listens for anyone. */
  main: string | null
  /** What is done otherwise than the source says. */
  warnings: { service: string | null; message: string }[]
}

export type ServicePlan = {
  name: string
  /** What the project says about it; goes before what its source says. */
  config: ServiceConfig
  after: Wait[]
  /** As a compose file has it. */
  compose?: ComposePlan
}

export type Wait = { service: string; until: 'started' | 'healthy' | 'completed'; required: boolean }

export type ComposePlan = Omit<ComposeService, 'configs' | 'secrets' | 'name' | 'after'> & {
  /** Configs and secrets with what is in them. */
  files: LaidFile[]
  buildSecrets: Record<string, string>
  /** Those of its volumes that live in memory, by their key. */
  memoryVolumes: Record<string, MemoryVolume>
  /** Set where it was adopted: which image it must be, and what it uses on the server where it is. */
  adopted?: AdoptedParts
  /** Of what the source has in the places that are mounted from it: another content is another service. */
  mountedHash: string | null
}

/** Nothing that a user can write, in settings or in a compose file, becomes this: only adoption makes it. */
export type AdoptedParts = {
  image: { reference: string; id: string }
  mounts: GrantedMount[]
}
type GrantedMount = {
  kind: 'volume' | 'path'
  source: string
  target: string
  readOnly: boolean
  /** Of a volume. */
  copy: boolean
  subpath: string | null
}

const placeOf = (deploymentId: string) => `deployment/${deploymentId}/blueprint`

export const sealBlueprint = ({ keys }: Pick<BaseParts, 'keys'>, id: string, blueprint: Blueprint) =>
  keys.seal(JSON.stringify(blueprint), placeOf(id))

export const openBlueprint = ({ keys }: Pick<BaseParts, 'keys'>, id: string, sealed: string): Blueprint =>
  JSON.parse(keys.open(sealed, placeOf(id)))
