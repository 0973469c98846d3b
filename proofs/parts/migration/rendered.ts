import { specOfCompose } from '../../../server/src/core/deployments/release/spec-of-compose.ts'
import type { ComposePlan } from '../../../server/src/core/deployments/rows/blueprint.ts'
import { acceptSpec } from '../../../server/src/drivers/runtime/render/accept.ts'
import { healthConfig } from '../../../server/src/drivers/runtime/render/health.ts'
import { renderService } from '../../../server/src/drivers/runtime/render/render.ts'

const API = 145
const CEILINGS = { machineBytes: 2 ** 44, ceilings: {} }
/** Of an image: what rendering asks for that is not in the plan. */
const FACTS = {
  digests: [],
  pinned: null,
  sizeBytes: 0,
  platform: '',
  ports: [],
  user: '',
  volumes: [],
  labels: {},
}

export type Rendered = ReturnType<typeof renderedOf>

/** What the engine would be told of a service that was adopted; throws where the driver refuses it. */
export function renderedOf(name: string, compose: ComposePlan, healthcheck: string[] | null) {
  const id = compose.adopted?.image.id ?? ''
  const spec = specOfCompose({
    ...{ org: 'org_1', project: 'prj_1', deployment: 'dep_1', image: id, port: null, environment: {}, networks: [] },
    plan: { name, config: {}, after: [], compose },
    facts: { ...FACTS, id, healthcheck, checks: 'none' },
    volumeOf: (key) => key,
    filesVolume: 'files',
  })
  acceptSpec(spec, { api: API, policy: { hostPorts: true, ceilings: {} }, reserved: [] })
  const health = healthConfig(spec.healthcheck, { shell: null, wget: null, node: null })
  return renderService(spec, {
    ...{ instance: 'i', api: API, bounds: CEILINGS, networks: new Map(), health, forceUpdate: 0 },
    over: 'nothing',
  })
}
