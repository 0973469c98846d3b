import { checkInPlace, type InPlaceUse } from '../../grants/check-in-place.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { Blueprint } from '../rows/blueprint.ts'
import { DeployFailure } from '../rows/failure.ts'

/** Before anything is done for a deployment: what its services use on the server where it is must be theirs to use, and free. */
export async function requireInPlace(
  context: DeployContext,
  { services }: Blueprint,
  signal: AbortSignal,
): Promise<void> {
  const { parts, engine, deployment, policy } = context
  for (const { name, compose } of services) {
    if (!compose?.adopted) continue
    const ports = policy.hostPorts ? compose.ports.map(({ published }) => published) : []
    const use: InPlaceUse = { ...deployment, mounts: compose.adopted.mounts, ports }
    const obstacle = await checkInPlace(parts, engine, use, signal)
    if (obstacle) throw new DeployFailure({ ...obstacle, service: name })
  }
}
