import { loginsOf } from '../../registries/logins.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { BuiltImage } from '../parts.ts'
import type { AdoptedParts, ServicePlan } from '../rows/blueprint.ts'
import { DeployFailure } from '../rows/failure.ts'
import { firstPort } from './foreign-image.ts'

/** A host that no registry can have; apart from what was built here, which is removed when no release needs it any more. */
const repositoryOf = (projectId: string) => `slipway.invalid/adopted-${projectId.replace(/_/g, '-')}`

/**
 * The very image that ran: by its id, so that nothing is fetched and nothing else can be meant. It may exist on this server alone, so
 * it gets a name of ours, which whoever tidies the server up leaves.
 */
export async function adoptedImage(
  context: DeployContext,
  { name: service, config }: ServicePlan,
  { image: { id, reference } }: AdoptedParts,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const { parts, engine, deployment } = context
  const { images } = parts.runtime
  // Gone, but a registry has it under a digest: the same one again, or none.
  if (!(await images.exists(engine, id, { signal })) && reference.includes('@sha256:'))
    await images.pull(engine, reference, { signal, login: (await loginsOf(parts, deployment)).for(reference) })
  const facts = await images.inspect(engine, id, { signal })
  if (facts === null || facts.id !== id) throw imageGone(service, reference)
  await images.keep(engine, id, { signal, repository: repositoryOf(deployment.projectId), tag: service })
  return { name: facts.id, id: facts.id, port: config.port ?? firstPort(facts) ?? null }
}

const imageGone = (service: string, reference: string) =>
  new DeployFailure({
    code: 'image_not_found',
    step: 'build',
    service,
    message: `The image ${reference} that the service was adopted with is no longer on the server.`,
    hint: 'Bring it back (docker load), or deploy the project from a source or another image.',
  })
