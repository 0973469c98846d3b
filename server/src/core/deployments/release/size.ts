import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { mostOf } from '../../limits/most.ts'
import { requireRoom } from '../../limits/require-room.ts'
import type { DeployContext } from '../deploy-context.ts'
import { DeployFailure } from '../rows/failure.ts'
import type { Release } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { DEFAULT_MEMORY } from './spec-of-settings.ts'

/** What one project may ask of a server altogether; for one service alone the runtime refuses as much. */
const MOST = { containers: 100, 'ports of the server': 20, networks: 20 } as const

/** Refuses a release that would take more than a project's share of what all projects of a server have in common. */
export function checkSize({ services, networks = [] }: Release): void {
  const count = (of: (spec: ServiceSpec) => number) => services.reduce((sum, spec) => sum + of(spec), 0)
  const wanted = {
    containers: count(({ replicas }) => replicas),
    'ports of the server': count(({ ports = [] }) => ports.length),
    networks: networks.length,
  }
  for (const what of Object.keys(MOST) as (keyof typeof MOST)[]) {
    if (wanted[what] <= MOST[what]) continue
    throw new DeployFailure({
      code: 'spec_refused',
      step: 'release',
      message: `The project asks for ${wanted[what]} ${what}; a project has at most ${MOST[what]}.`,
      hint: 'Use fewer, or split it into several projects.',
    })
  }
}

type Asking = Pick<DeployContext, 'run' | 'deployment'> & { parts: Pick<DeployContext['parts'], 'db' | 'config'> }

/**
 * Writes down what a release may use of memory, and refuses one with which the organization would have more than it may. A
 * service that says nothing gets a share of its machine, which nobody could count: where memory is limited it gets instead
 * what services of settings get.
 */
export async function withinMemory({ parts, run, deployment }: Asking, release: Release): Promise<Release> {
  const { id, orgId, projectId } = deployment
  const isLimited = (await mostOf(parts, parts.db, orgId, 'memoryBytes')) !== null
  const services = release.services.map((spec) => (isLimited ? { memoryBytes: DEFAULT_MEMORY, ...spec } : spec))
  const memoryBytes = services.reduce((sum, spec) => sum + (spec.memoryBytes ?? DEFAULT_MEMORY) * spec.replicas, 0)
  await run.write(async (tx) => {
    await store.update(tx, id, { memoryBytes })
    const active = await store.findActive(tx, projectId)
    await requireRoom(parts, tx, orgId, 'memoryBytes', { made: memoryBytes - Number(active?.memoryBytes ?? 0) })
  })
  return { ...release, services }
}
