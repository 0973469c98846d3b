import { DeployFailure } from './failure.ts'
import { firstPort } from './foreign-image.ts'
import type { BuiltImage } from './parts.ts'
import { openRelease, type Release, sealRelease, specOf } from './release.ts'
import { runtimeEnvironment, type Scene, serviceOf } from './scene.ts'
import * as store from './store.ts'

/** Image and configuration as they are now, sealed: later changes of the project do not reach an old release. */
export async function freezeRelease(scene: Scene, image: BuiltImage, signal: AbortSignal) {
  const { parts, deployment, engine, service, config, variables } = scene
  const facts = await parts.runtime.images.inspect(engine, image.name, { signal })
  if (!facts) {
    const message = `The image ${image.name} is no longer on the server.`
    throw new DeployFailure({ code: 'image_not_found', step: 'release', service, message, hint: 'Deploy again.' })
  }
  const environment = runtimeEnvironment(variables, service)
  const port = config.port ?? portOf(environment) ?? firstPort(facts) ?? image.port ?? 8080
  const spec = specOf({
    org: deployment.orgId,
    project: deployment.projectId,
    deployment: deployment.id,
    service,
    image: image.name,
    facts: image.generated ? { ...facts, healthcheck: null } : facts,
    port,
    config,
    environment,
    networks: [
      { name: parts.edgeNetwork.name, aliases: [parts.edgeNetwork.alias(deployment.projectId, service)] },
      { name: privateNetwork(deployment.projectId), aliases: [service] },
    ],
  })
  return frozen(scene, { services: [spec] }, image, port)
}

/** Whoever sets PORT means it. */
function portOf({ PORT }: Record<string, string>): number | undefined {
  const port = Number(PORT)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

export const privateNetwork = (projectId: string) => `p-${projectId.replace(/_/g, '-')}`

/** The same services under this deployment's id: the engine must be able to tell this rollout from the one back then. */
export async function takeOldRelease(scene: Scene, oldId: string, signal: AbortSignal) {
  const { parts, deployment, engine } = scene
  const old = await store.load(parts.db, deployment.orgId, oldId)
  if (old.release === null) throw gone('It never had a release.')
  const release = openRelease(parts, oldId, old.release)
  for (const spec of release.services) {
    if (await parts.runtime.images.exists(engine, spec.image, { signal })) continue
    const again = spec.image.includes('@') && (await bring(scene, spec.image, signal))
    if (!again) throw gone(`Its image ${spec.image} is gone.`)
  }
  const services = release.services.map((spec) => ({ ...spec, deployment: deployment.id }))
  const [first] = services
  const port = Number(first?.environment.PORT ?? 8080)
  return frozen(scene, { services }, { name: first?.image ?? '', id: old.services[0]?.digest ?? '' }, port)
}

/** A registry's image under its digest is the same one again; whether it could be had. */
const bring = ({ parts, engine }: Scene, image: string, signal: AbortSignal) =>
  parts.runtime.images.pull(engine, image, { signal }).then(
    () => true,
    () => {
      signal.throwIfAborted()
      return false
    },
  )

const gone = (why: string) =>
  new DeployFailure({
    code: 'release_gone',
    step: 'release',
    message: `The old release cannot be brought back. ${why}`,
    hint: 'Deploy its commit again instead.',
  })

const frozen = (
  { parts, deployment, service }: Scene,
  release: Release,
  image: { name: string; id: string },
  port: number,
) => ({
  sealed: sealRelease(parts, deployment.id, release),
  images: release.services.map((spec) => spec.image),
  services: [serviceOf(service, image, 'deploying')],
  port,
})
