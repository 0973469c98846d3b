import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { claimServer } from '../../servers/claim.ts'
import { requireInPlace } from '../blueprint/require-in-place.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { BuiltImage, Frozen } from '../parts.ts'
import type { Blueprint, ServicePlan } from '../rows/blueprint.ts'
import { findActiveOn } from '../rows/engine-of-release.ts'
import { DeployFailure } from '../rows/failure.ts'
import { networkName, privateNetwork, publicNetwork } from '../rows/network-names.ts'
import { namesOf, overridesOf, ownEnvironments } from '../rows/overrides.ts'
import { type Release, releaseOf, sealRelease } from '../rows/release.ts'
import { serviceOf } from '../rows/services-store.ts'
import { numbersOf } from '../rows/serving-store.ts'
import { usedVariables } from '../rows/used-variables.ts'
import { runtimeEnvironment } from './environment.ts'
import { firstPort } from './foreign-image.ts'
import { checkSize, withinMemory } from './size.ts'
import { specOfCompose } from './spec-of-compose.ts'
import { mountsOf, publishedOf, specOf } from './spec-of-settings.ts'
import { keepUnchanged } from './unchanged.ts'

type Images = Record<string, BuiltImage>

/** Images and configuration as they are now, sealed: later changes of the project do not reach an old release. */
export async function freezeRelease(
  context: DeployContext,
  blueprint: Blueprint,
  images: Images,
  signal: AbortSignal,
): Promise<Frozen> {
  const { parts, deployment } = context
  await requireInPlace(context, blueprint, signal)
  const hosts = await namesOf(parts, deployment)
  const names = blueprint.services.map(({ name }) => name)
  const led = new Set(hosts.map(({ service }) => (names.includes(service) ? service : blueprint.main)))
  const release: Release = {
    services: [],
    after: Object.fromEntries(blueprint.services.map(({ name, after }) => [name, after])),
    ports: {},
    main: blueprint.main,
    networks: blueprint.networks.map(({ key, internal }) => ({
      name: networkName(deployment.projectId, key),
      internal,
    })),
    variables: [
      usedVariables(context.variables, { services: names, own: ownEnvironments(overridesOf(parts, deployment)) }),
    ],
  }
  for (const plan of blueprint.services) {
    const atEdge = led.has(plan.name) || plan.config.exposed === true || names.length === 1
    const { spec, port } = await specFor(context, plan, images[plan.name], atEdge, signal)
    release.services.push(spec)
    if (port !== null) release.ports = { ...release.ports, [plan.name]: port }
  }
  checkSize(release)
  return frozen(context, release, (name) => images[name]?.id ?? null, signal)
}

async function specFor(
  context: DeployContext,
  plan: ServicePlan,
  image: BuiltImage | undefined,
  atEdge: boolean,
  signal: AbortSignal,
): Promise<{ spec: ServiceSpec; port: number | null }> {
  const { parts, deployment, engine, variables } = context
  const facts = image && (await parts.runtime.images.inspect(engine, image.name, { signal }))
  if (!image || !facts) throw imageGone(plan.name, image?.name)
  const { orgId: org, projectId: project, id } = deployment
  const base = { org, project, deployment: id, image: image.name }
  const edge = atEdge ? [{ name: publicNetwork(project), aliases: [parts.edgeAlias(project, plan.name)] }] : []
  if (plan.compose) {
    const { compose } = plan
    const listens = compose.exposed.find(({ protocol }) => protocol === 'tcp')?.port
    const port = plan.config.port ?? listens ?? firstPort(facts) ?? image.port
    const own = compose.networks.map(({ network, aliases }) => ({ name: networkName(project, network), aliases }))
    const environment = runtimeEnvironment(
      variables.filter(({ service }) => service !== null),
      plan.name,
    )
    const volumeOf = (key: string) => parts.volumeName(project, key)
    const spec = specOfCompose({
      ...base,
      plan: { ...plan, compose },
      facts,
      port,
      environment,
      networks: compose.kind === 'job' ? own : [...edge, ...own],
      volumeOf,
      filesVolume: parts.filesVolume(project),
    })
    return { spec, port }
  }
  const environment = runtimeEnvironment(variables, plan.name)
  const port = plan.config.port ?? portSaid(environment) ?? firstPort(facts) ?? image.port ?? 8080
  const spec = specOf({
    ...base,
    service: plan.name,
    facts: image.generated ? { ...facts, healthcheck: null } : facts,
    port,
    config: plan.config,
    environment,
    networks: [...edge, { name: privateNetwork(project), aliases: [plan.name] }],
    volumes: mountsOf(plan.config, (key) => parts.volumeName(project, key)),
    ports: publishedOf(plan.config),
  })
  return { spec, port }
}

function imageGone(service: string, name: string | undefined): DeployFailure {
  const message = `The image ${name ?? 'of the service'} is no longer on the server.`
  return new DeployFailure({ code: 'image_not_found', step: 'release', service, message, hint: 'Deploy again.' })
}

/** Whoever sets PORT means it. */
function portSaid({ PORT }: Record<string, string>): number | undefined {
  const port = Number(PORT)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** Against the release that is active: what is the same stays as it is. */
export async function frozen(
  context: DeployContext,
  asked: Release,
  digestOf: (service: string) => string | null,
  signal: AbortSignal,
): Promise<Frozen> {
  const { parts, deployment, server } = context
  const wanted = await withinMemory(context, asked)
  const { engineId } = await claimServer(parts, server, signal)
  const before = await findActiveOn(parts.db, { ...deployment, engineId })
  const previousOf = (name: string) => before?.services.find((one) => one.name === name)?.digest ?? null
  const isSame = (name: string) => digestOf(name) !== null && digestOf(name) === previousOf(name)
  const were = releaseOf(parts, before).services
  const services = keepUnchanged(wanted.services, were, isSame)
  const broughtBy = were.map((spec) => spec.deployment)
  const numbers = await numbersOf(parts.db, deployment.orgId, broughtBy)
  const previous = (name: string) => {
    const id = were.find(({ service }) => service === name)?.deployment
    return id === undefined ? null : { deploymentId: id, number: numbers.get(id) ?? null }
  }
  return {
    engineId,
    sealed: sealRelease(parts, deployment.id, { ...wanted, services }),
    images: services.map((spec) => spec.image),
    services: services.map((spec) => ({
      ...serviceOf(spec.service, { name: spec.image, id: digestOf(spec.service) ?? '' }, 'deploying'),
      previousDigest: previousOf(spec.service),
      previous: previous(spec.service),
      replicas: spec.replicas,
      status: spec.deployment === deployment.id ? 'deploying' : 'healthy',
    })),
  }
}
