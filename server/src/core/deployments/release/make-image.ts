import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import type { BuildEvent } from '../../../drivers/builder/builder.ts'
import { mostOf } from '../../limits/most.ts'
import { buildsOf, countOtherBuilds } from '../../limits/store.ts'
import { LIMITS } from '../../limits/table.ts'
import { loginsOf } from '../../registries/logins.ts'
import { claimServer } from '../../servers/claim.ts'
import { openSource } from '../blueprint/source.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { BuiltImage } from '../parts.ts'
import type { ServicePlan } from '../rows/blueprint.ts'
import { adoptedImage } from './adopted-image.ts'
import { composeBuild, settingsBuild } from './build-request.ts'
import { buildSecrets } from './environment.ts'
import { explainBuild } from './explain-build.ts'
import { foreignImage } from './foreign-image.ts'
import { tagOf } from './images.ts'
import { overLostLines, patiently } from './lost-lines.ts'

const MIB = 1024 * 1024
const OF_ONE_BUILD = { memoryBytes: 2048 * MIB, cpus: 2, pids: 2048 }
const DEADLINE_MS = 30 * 60_000
/**
 * Steps of a build run on the engine's default bridge with the right to send raw packets, and BuildKit in the engine lets
 * nobody change that: steps of two projects at once could answer each other's downloads. A project has one run at a time.
 */
const PROJECTS_BUILDING_AT_ONCE = 1

/** An image for a service: as it is, or built on the server's engine under a name that no registry can answer. */
export async function makeImage(
  deployContext: DeployContext,
  plan: ServicePlan,
  source: DeploymentSource,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const line = { step: 'build', service: plan.name, deadlineMs: DEADLINE_MS, signal }
  const { engineId } = await overLostLines(deployContext, line, () =>
    claimServer(deployContext.parts, deployContext.server, signal),
  )
  const again = patiently(deployContext, 'build', plan.name)
  const adopted = plan.compose?.adopted
  if (adopted) return again(signal, () => adoptedImage(deployContext, plan, adopted, signal))
  const ready = source.kind === 'image' ? (source.image ?? '') : imageOf(plan)
  if (ready !== null) return again(signal, () => foreignImage(deployContext, plan, ready, signal))
  const build = () => inTurn(deployContext, plan.name, signal, () => buildImage(deployContext, plan, source, signal))
  // By the engine: two servers may be one machine by different addresses.
  return deployContext.run.limit(
    `build:${engineId ?? deployContext.server.id}`,
    PROJECTS_BUILDING_AT_ONCE,
    signal,
    build,
  )
}

type Building = Pick<DeployContext, 'run' | 'deployment' | 'events'> & {
  parts: Pick<DeployContext['parts'], 'db' | 'config'>
}

/**
 * As many builds of an organization at once as it may have; the others rest, and are told so. Inside of the engine's own place: whoever
 * waits for an engine keeps no build of another from running.
 */
export async function inTurn<T>(
  { parts, run, deployment: { orgId }, events }: Building,
  service: string,
  signal: AbortSignal,
  build: () => Promise<T>,
): Promise<T> {
  const most = await mostOf(parts, parts.db, orgId, 'concurrentBuilds')
  if (most === null) return build()
  const used = await countOtherBuilds(parts.db, orgId, run.id)
  // One at least: nobody would ever call whoever waits for none.
  const places = Math.max(1, most)
  if (used >= places)
    events.write('log', {
      service,
      step: 'build',
      stream: 'stdout',
      line: LIMITS.concurrentBuilds.refusal(`${used}`, `${places}`),
    })
  return run.limit(buildsOf(orgId), places, signal, build)
}

/** One that somebody else made. Where something is built as well, its name is only a name. */
function imageOf({ config, compose }: ServicePlan): string | null {
  if (compose) return compose.build === null ? compose.image : null
  const builds = [config.build, config.rootDirectory, config.dockerfile].some((one) => one !== undefined)
  return builds ? null : (config.image ?? null)
}

async function buildImage(
  deployContext: DeployContext,
  plan: ServicePlan,
  source: DeploymentSource,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const { parts, deployment, events } = deployContext
  const { name: service, config } = plan
  // An owner before us may still be at it, and not know that it has lost the run.
  await deployContext.run.assertOwned()
  await parts.builder.endBuild(deployment.id)
  const tree = await openSource(deployContext, source, signal)
  const secrets = { ...buildSecrets(deployContext.variables, service), ...plan.compose?.buildSecrets }
  const { target, args, noCache, ...found } = plan.compose?.build
    ? await composeBuild(tree, plan.compose.build)
    : await settingsBuild(deployContext, plan, tree, Object.keys(secrets))
  events.write('step', { step: 'build', service, strategy: found.strategy, because: found.because })
  const context = join(parts.config.dataDir, 'contexts', deployment.serverId, `${deployment.projectId}.${service}`)
  await parts.syncContext(context, found.tree, signal)
  const tag = tagOf(deployment.projectId, deployment.id, randomBytes(12).toString('hex'))
  const bases = await basesFrom(deployContext, signal)
  const lastLines: Printed[] = []
  const patience = { step: 'build', service, deadlineMs: DEADLINE_MS, signal, reached: true }
  const result = await overLostLines(deployContext, patience, (leftMs) =>
    parts.builder.build(
      {
        engine: deployContext.engine,
        project: deployment.projectId,
        build: deployment.id,
        service,
        context,
        dockerfile: found.dockerfile,
        ...(target !== undefined && { target }),
        args,
        secrets,
        tag,
        remote: deployContext.policy.remoteAdd ? 'names' : 'none',
        ...bases,
        limits: OF_ONE_BUILD,
        deadlineMs: leftMs,
        ...(noCache && { noCache }),
      },
      (event) => {
        if (event.type === 'log') remember(lastLines, event)
        tell(deployContext, service, event)
      },
      signal,
      () => events.room(signal),
    ),
  )
  await events.flush()
  signal.throwIfAborted()
  if (!result.ok) {
    const { failure, steps } = result
    const instruction = steps.find(({ id }) => id === failure.step)?.name
    const own = lastLines.filter(({ step }) => step === failure.step).map(({ line }) => line)
    const shown = { generated: found.generated, lastLines: own, step: instruction && shortName(instruction) }
    throw explainBuild({ failure, instruction, ...shown }, service)
  }
  return { name: tag, id: result.imageId, port: config.port ?? found.port, generated: found.generated }
}

/** What another project's credential has brought lies on the server, too; only its registry may hand it to this project. */
async function basesFrom(
  { parts, deployment, policy, engine }: Pick<DeployContext, 'parts' | 'deployment' | 'policy' | 'engine'>,
  signal: AbortSignal,
) {
  const logins = await loginsOf(parts, deployment)
  const mayHave = async (image: string) =>
    !logins.isOthers(image) || parts.runtime.images.offered(engine, image, { signal, login: logins.for(image) })
  return { pull: !policy.localImages || logins.hasOthers, logins: { ...logins, mayHave } }
}

function tell({ events }: Pick<DeployContext, 'events'>, service: string, event: BuildEvent): void {
  if (event.type === 'log') {
    const { name, stream, line, at } = event
    events.write('log', { service, step: shortName(name), stream, line }, new Date(at))
  } else if (event.type === 'step') {
    const { type, ...step } = event
    events.write(type, { service, ...step })
  }
}

const MOST_NAME_CHARACTERS = 120

/** It stands on every line that the step prints, and a RUN may be a whole script. */
const shortName = (name: string) =>
  name.length > MOST_NAME_CHARACTERS ? `${name.slice(0, MOST_NAME_CHARACTERS - 1)}…` : name

type Printed = { step: string; line: string }

/** Some of them belong to other steps that ran at the same time. */
const MOST_REMEMBERED = 50

function remember(lines: Printed[], { step, line }: Printed): void {
  lines.push({ step, line })
  if (lines.length > MOST_REMEMBERED) lines.shift()
}
