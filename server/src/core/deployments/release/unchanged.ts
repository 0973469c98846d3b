import { isDeepStrictEqual } from 'node:util'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'

/**
 * Of several services, those whose image and settings are as before keep the spec they have, and with it the deployment
 * that brought them and their containers. A service that is alone is rolled out whenever someone asks for it.
 */
export function keepUnchanged(
  wanted: ServiceSpec[],
  before: ServiceSpec[],
  sameImage: (service: string) => boolean,
): ServiceSpec[] {
  if (wanted.length < 2) return wanted
  return wanted.map((spec) => {
    const old = before.find(({ service }) => service === spec.service)
    if (!old) return spec
    const now = sameImage(spec.service) ? { ...spec, image: old.image } : spec
    return isDeepStrictEqual(plain({ ...now, deployment: '' }), plain({ ...old, deployment: '' })) ? old : spec
  })
}

/** As it was stored: without what was left undefined. */
const plain = (spec: ServiceSpec): unknown => JSON.parse(JSON.stringify(spec))
