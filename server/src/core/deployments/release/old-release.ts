import { loginsOf } from '../../registries/logins.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { BuiltImage, Frozen } from '../parts.ts'
import { DeployFailure } from '../rows/failure.ts'
import { type Release, releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { usedVariables } from '../rows/used-variables.ts'
import { frozen } from './freeze.ts'

/** Services of an old release whose image is on the server no more, and cannot be had from a registry. */
export async function findOldImages(
  context: DeployContext,
  oldId: string,
  signal: AbortSignal,
): Promise<{ gone: string[] }> {
  const { parts, deployment, engine } = context
  const old = await store.load(parts.db, deployment.orgId, oldId)
  if (old.release === null) throw lost('It never had a release.')
  const gone: string[] = []
  for (const { image, service } of releaseOf(parts, old).services) {
    if (await parts.runtime.images.exists(engine, image, { signal })) continue
    if (!image.includes('@') || !(await bring(context, image, signal))) gone.push(service)
  }
  if (gone.length > 0 && old.source.kind === 'image') throw lost(`Its image ${old.source.image} is gone.`)
  return { gone }
}

/** A registry's image under its digest is the same one again; whether it could be had. */
async function bring(
  { parts, engine, deployment }: Pick<DeployContext, 'parts' | 'engine' | 'deployment'>,
  image: string,
  signal: AbortSignal,
) {
  const login = (await loginsOf(parts, deployment)).for(image)
  return parts.runtime.images.pull(engine, image, { signal, login }).then(
    () => true,
    () => {
      signal.throwIfAborted()
      return false
    },
  )
}

/**
 * The same services under this deployment's id: the engine must be able to tell this rollout from the one back then. Their
 * configuration is the one of then, also with images that had to be built again.
 */
export async function takeOldRelease(
  context: DeployContext,
  oldId: string,
  rebuilt: Record<string, BuiltImage>,
  signal: AbortSignal,
): Promise<Frozen> {
  const { parts, deployment, engine } = context
  const old = await store.load(parts.db, deployment.orgId, oldId)
  const release = releaseOf(parts, old)
  const services = release.services.map((spec) => ({
    ...spec,
    deployment: deployment.id,
    image: rebuilt[spec.service]?.name ?? spec.image,
  }))
  for (const { image } of services)
    if (!(await parts.runtime.images.exists(engine, image, { signal }))) throw lost(`Its image ${image} is gone.`)
  const before = (name: string) => old.services.find((one) => one.name === name)?.digest ?? null
  const variables = builtAnew(release, Object.keys(rebuilt), context)
  return frozen(context, { ...release, services, ...variables }, (name) => rebuilt[name]?.id ?? before(name), signal)
}

/** Images that had to be built again were built with the variables of now, and run with those of then. */
function builtAnew(
  { variables }: Release,
  rebuilt: string[],
  context: Pick<DeployContext, 'variables'>,
): Pick<Release, 'variables'> {
  if (variables === undefined || rebuilt.length === 0) return {}
  const ofBuild = usedVariables(
    context.variables.filter(({ scope }) => scope === 'build'),
    { services: [], own: [] },
  ).used
  const split = variables.flatMap(({ services, used, ...group }) => [
    { ...group, used, services: services.filter((name) => !rebuilt.includes(name)) },
    {
      ...group,
      used: [...used.filter(({ scope }) => scope !== 'build'), ...ofBuild],
      services: services.filter((name) => rebuilt.includes(name)),
    },
  ])
  return { variables: split.filter(({ services }) => services.length > 0) }
}

const lost = (why: string) =>
  new DeployFailure({
    code: 'release_gone',
    step: 'release',
    message: `The old release cannot be brought back. ${why}`,
    hint: 'Deploy its commit again instead.',
  })
