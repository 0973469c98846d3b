import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { DeployFailure } from '../rows/failure.ts'
import type { Release } from './release.ts'

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
