import { loginsOf } from '../../registries/logins.ts'
import type { BuiltImage, Frozen } from '../parts.ts'
import { DeployFailure } from '../rows/failure.ts'
import * as store from '../rows/store.ts'
import type { DeployContext } from '../story/deploy-context.ts'
import { frozen } from './freeze.ts'
import { releaseOf } from './release.ts'

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
async function bring({ parts, engine, deployment }: DeployContext, image: string, signal: AbortSignal) {
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
  return frozen(context, { ...release, services }, (name) => rebuilt[name]?.id ?? before(name), signal)
}

const lost = (why: string) =>
  new DeployFailure({
    code: 'release_gone',
    step: 'release',
    message: `The old release cannot be brought back. ${why}`,
    hint: 'Deploy its commit again instead.',
  })
