import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DeploymentSource } from '@slipway/contract/deployments'
import type { BuildEvent } from '../../drivers/builder/builder.ts'
import { claimServer } from '../servers/claim.ts'
import { explainBuild } from './explain-build.ts'
import { foreignImage } from './foreign-image.ts'
import { tagOf } from './images.ts'
import type { BuiltImage } from './parts.ts'
import { buildSecrets, type Scene } from './scene.ts'
import { openSource } from './source.ts'

const MIB = 1024 * 1024
const LIMITS = { memoryBytes: 2048 * MIB, cpus: 2, pids: 2048 }
const DEADLINE_MS = 30 * 60_000
const BUILDS_AT_ONCE = 2

/** An image for the source: as it is, or built on the server's engine under a name that no registry can answer. */
export async function makeImage(scene: Scene, source: DeploymentSource, signal: AbortSignal): Promise<BuiltImage> {
  await claimServer(scene.parts, scene.server, signal)
  if (source.kind === 'image') return foreignImage(scene, source.image ?? '', signal)
  return scene.run.limit(`build:${scene.server.id}`, BUILDS_AT_ONCE, signal, () => buildImage(scene, source, signal))
}

async function buildImage(scene: Scene, source: DeploymentSource, signal: AbortSignal): Promise<BuiltImage> {
  const { parts, deployment, service, config, events } = scene
  // An owner before us may still be at it, and not know that it has lost the run.
  await parts.builder.endBuild(deployment.id)
  const { context: folder, dockerfile, target, args = {} } = buildOf(config.build)
  const tree = await openSource(scene, source, signal)
  const strategy = deployment.request.buildStrategy
  const secrets = buildSecrets(scene.variables, service)
  const wish = {
    ...config,
    rootDirectory: config.rootDirectory ?? folder,
    dockerfile: config.dockerfile ?? dockerfile,
    strategy: strategy === 'dockerfile' || strategy === 'static' ? strategy : ('auto' as const),
    secrets: Object.keys(secrets),
  }
  // Only a process that builds pays for all the stacks.
  const { planBuild } = await import('../build/plan.ts')
  const plan = await planBuild(tree, wish)
  events.write('step', { step: 'build', service, strategy: plan.strategy, because: plan.because })
  const context = join(parts.config.dataDir, 'contexts', deployment.serverId, deployment.projectId)
  await parts.syncContext(context, plan.tree, signal)
  const tag = tagOf(deployment.projectId, deployment.id, randomBytes(12).toString('hex'))
  const lastLines: Printed[] = []
  const result = await parts.builder.build(
    {
      engine: scene.engine,
      project: deployment.projectId,
      build: deployment.id,
      service,
      context,
      dockerfile: plan.dockerfile,
      ...(target !== undefined && { target }),
      args,
      secrets,
      tag,
      limits: LIMITS,
      deadlineMs: DEADLINE_MS,
    },
    (event) => {
      if (event.type === 'log') remember(lastLines, event)
      tell(scene, event)
    },
    signal,
    () => events.room(signal),
  )
  await events.flush()
  signal.throwIfAborted()
  if (!result.ok) {
    const { failure, steps } = result
    const instruction = steps.find(({ id }) => id === failure.step)?.name
    const own = lastLines.filter(({ step }) => step === failure.step).map(({ line }) => line)
    throw explainBuild({ failure, instruction, generated: 'text' in plan.dockerfile, lastLines: own }, service)
  }
  const generated = 'text' in plan.dockerfile
  return { name: tag, id: result.imageId, port: config.port ?? plan.port, generated }
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

type Printed = { step: string; line: string }

/** Some of them belong to other steps that ran at the same time. */
const MOST_REMEMBERED = 50

function remember(lines: Printed[], { step, line }: Printed): void {
  lines.push({ step, line })
  if (lines.length > MOST_REMEMBERED) lines.shift()
}

type BuildWish = {
  context?: string
  dockerfile?: string | undefined
  target?: string | undefined
  args?: Record<string, string> | undefined
}

const buildOf = (build: Scene['config']['build']): BuildWish =>
  typeof build === 'object' ? build : build === undefined ? {} : { context: build }
