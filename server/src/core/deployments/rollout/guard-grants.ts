import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Runtime } from '../../../drivers/runtime/runtime.ts'
import { checkInPlace } from '../../grants/check-in-place.ts'
import type { BaseParts } from '../../parts.ts'
import { DeployFailure } from '../rows/failure.ts'

/**
 * The one way to the engine that every rollout takes, forwards and back: a spec that uses what is not the project's own is held against the
 * grants as they are now. A release that was frozen while a grant held brings nothing back once it is revoked.
 */
export const guardGrants = (runtime: Runtime, parts: Pick<BaseParts, 'db' | 'serverReading'>): Runtime => ({
  ...runtime,
  async apply(engine, spec, options) {
    if (spec.granted) {
      const obstacle = await checkInPlace({ ...parts, runtime }, engine, useOf(spec), options.signal)
      if (obstacle) throw new DeployFailure({ ...obstacle, service: spec.service })
    }
    return runtime.apply(engine, spec, options)
  },
})

const useOf = ({ org, project, volumes, binds = [], ports = [] }: ServiceSpec) => ({
  orgId: org,
  projectId: project,
  mounts: [
    ...volumes
      .filter(({ inPlace }) => inPlace)
      .map(({ name, readOnly }) => ({ kind: 'volume' as const, source: name, readOnly })),
    ...binds.map(({ source, readOnly }) => ({ kind: 'path' as const, source, readOnly })),
  ],
  ports: ports.map(({ published }) => published),
})
