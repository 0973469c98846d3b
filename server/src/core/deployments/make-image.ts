import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DeploymentSource } from '@slipway/contract/deployments'
import type { BuildEvent } from '../../drivers/builder/builder.ts'
import { planBuild } from '../build/plan.ts'
import { below } from '../build/source-tree.ts'
import { explainBuild } from './explain.ts'
import { DeployFailure } from './failure.ts'
import type { BuiltImage } from './parts.ts'
import { buildSecrets, type Scene } from './scene.ts'
import { openSource } from './source.ts'

const MIB = 1024 * 1024
const LIMITS = { memoryBytes: 2048 * MIB, cpus: 2, pids: 2048 }
const DEADLINE_MS = 30 * 60_000
const BUILDS_AT_ONCE = 2

/** An image for the source: as it is, or built on the server's engine under a name that no registry can answer. */
export async function makeImage(scene: Scene, source: DeploymentSource, signal: AbortSignal): Promise<BuiltImage> {
  if (source.kind === 'image') return foreignImage(scene, source.image ?? '', signal)
  return scene.run.limit(`build:${scene.server.id}`, BUILDS_AT_ONCE, signal, () => buildImage(scene, source, signal))
}

async function foreignImage(
  { parts, engine, service, config }: Scene,
  name: string,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const facts = await parts.runtime.images.inspect(engine, name, { signal })
  const port = config.port ?? facts?.ports[0]?.port ?? null
  if (facts) return { name, id: facts.id, port }
  throw new DeployFailure({
    code: 'image_not_found',
    step: 'build',
    service,
    message: `The image ${name} is not on the server.`,
    hint: 'Load or pull it there first, or check its name.',
  })
}

async function buildImage(scene: Scene, source: DeploymentSource, signal: AbortSignal): Promise<BuiltImage> {
  const { parts, deployment, service, config, events } = scene
  const tree = below(await openSource(scene, source, signal), config.rootDirectory ?? contextOf(config.build))
  const strategy = deployment.request.buildStrategy
  const secrets = buildSecrets(scene.variables, service)
  const wish = {
    ...config,
    strategy: strategy === 'dockerfile' || strategy === 'static' ? strategy : ('auto' as const),
    secrets: Object.keys(secrets),
  }
  const plan = await planBuild(tree, wish)
  events.write('step', { step: 'build', service, strategy: plan.strategy, because: plan.because })
  const context = join(parts.config.dataDir, 'contexts', deployment.serverId, deployment.projectId)
  await parts.syncContext(context, tree, signal)
  const tag = `slipway.invalid/${deployment.projectId.replace(/_/g, '-')}:${randomBytes(12).toString('hex')}`
  const result = await parts.builder.build(
    {
      engine: scene.engine,
      project: deployment.projectId,
      build: deployment.id,
      service,
      context,
      dockerfile: plan.dockerfile,
      args: {},
      secrets,
      tag,
      limits: LIMITS,
      deadlineMs: DEADLINE_MS,
    },
    (event) => tell(scene, event),
    signal,
  )
  await events.flush()
  signal.throwIfAborted()
  if (!result.ok) throw explainBuild(result.failure, service)
  return { name: tag, id: result.imageId, port: config.port ?? plan.port }
}

function tell({ events, service }: Scene, event: BuildEvent): void {
  if (event.type === 'log') {
    const { step, stream, line, at } = event
    events.write('log', { service, step, stream, line }, new Date(at))
  } else if (event.type === 'step') {
    const { type, ...step } = event
    events.write(type, { service, ...step })
  }
}

const contextOf = (build: Scene['config']['build']) => (typeof build === 'object' ? build.context : build)
