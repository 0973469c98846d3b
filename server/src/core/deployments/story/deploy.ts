import type { Run } from '../../../jobs/steps.ts'
import { openBlueprint } from '../blueprint/blueprint.ts'
import { findSource } from '../blueprint/find-source.ts'
import { tidyUp } from '../converge/remove-old-images.ts'
import type { BuiltImage, DeployParts, Frozen } from '../parts.ts'
import { freezeRelease } from '../release/freeze.ts'
import { makeImage } from '../release/make-image.ts'
import { findOldImages, takeOldRelease } from '../release/old-release.ts'
import { layFiles } from '../rollout/copy-mounted-files.ts'
import { decide } from '../rollout/decide.ts'
import { dropBuild, dropContainers } from '../rollout/drop-leftovers.ts'
import { askBeforeBuild, askBeforeRelease } from '../rollout/gates.ts'
import { retire } from '../rollout/retire.ts'
import { rollOut } from '../rollout/roll-out.ts'
import { dropRoutes, routeToRelease } from '../rollout/switch-routes.ts'
import { markOperations } from '../rows/plan-store.ts'
import { type Because, type DeployContext, loadDeployContext } from './deploy-context.ts'
import { explainedSteps, explainStep } from './explain-step.ts'

/**
 * The story of a deployment. Each step is fenced and may run twice; what one returns is what a replay returns. A project of
 * several services has a `build:name` and a `rollout:name` for each.
 *   1. source    what is deployed, pinned: a commit, a sealed upload, an image; and of which services it consists
 *   2. gate      someone approves the build, where the project asks for it
 *   3. build     images, made on the server's own engine
 *   4. gate      someone approves the release
 *   5. release   images and configuration, frozen and sealed
 *   6. rollout   the engine brings them up; their tasks say how that went. Undone by the previous release's own specs
 *   7. gate      someone decides, where only some of the services came up: `keep` them, or all go back
 *   8. route     names lead to it
 *   9. retire    services that are no part of it any more go
 *  10. tidy      what no release needs any more goes
 * A rollback is the same story with an old release in place of 1 to 5; where an image of it is gone, its source is built
 * again. Ending (pipeline.ts) makes it the active one.
 */
export async function deploy(parts: DeployParts, run: Run): Promise<void> {
  const context = await loadDeployContext(parts, run)
  const step = explainedSteps(context)
  // Comes when the rollout has been undone.
  const undo = (signal: AbortSignal, _: unknown, because: Because) => dropContainers(context, signal, because)
  const release = { ...context.onFrozen, undo }
  try {
    let frozen: Frozen
    const old = context.deployment.request.rollbackOf
    if (old === undefined) {
      const made = await makeImages(context, step)
      const { blueprint, images } = made
      await askBeforeRelease(context)
      await layFiles(context, step, made)
      frozen = await step<Frozen>('release', (signal) => freezeRelease(context, blueprint, images, signal), release)
    } else {
      const { gone } = await step('find', (signal) => findOldImages(context, old, signal))
      // Going back is urgent, and quick while the images are there.
      if (gone.length > 0) await run.takeTime()
      const { images } = gone.length > 0 ? await makeImages(context, step) : { images: {} }
      frozen = await step<Frozen>('release', (signal) => takeOldRelease(context, old, images, signal), release)
    }
    const brought = await rollOut(context, step, frozen)
    await decide(context, step, brought).catch(async (error) => {
      throw await explainStep(context, { step: 'rollout', signal: run.signal }, error)
    })
    await step('route', (signal) => routeToRelease(context, signal), {
      undo: (signal, _, because) => dropRoutes(context, signal, because),
      onEnd: (tx) => markOperations(tx, run.id, ['route'], 'done'),
    })
    await step('retire', (signal) => retire(context, signal), {
      onEnd: (tx, { removed }: { removed: string[] }) =>
        markOperations(
          tx,
          run.id,
          removed.map((service) => `remove ${service}`),
          'done',
        ),
    })
    await step('tidy', (signal) => tidyUp(context, signal))
  } finally {
    await context.events.flush().catch(() => {})
  }
}

/** One after the other: each of them may take the whole machine. */
async function makeImages(context: DeployContext, step: Run['step']) {
  const found = await step('source', (signal) => findSource(context, signal), context.onSource)
  const blueprint = openBlueprint(context.parts, context.deployment.id, found.blueprint)
  context.serviceNames.splice(0, context.serviceNames.length, ...found.services)
  await askBeforeBuild(context)
  const images: Record<string, BuiltImage> = {}
  for (const plan of blueprint.services) {
    const name = blueprint.services.length === 1 ? 'build' : `build:${plan.name}`
    images[plan.name] = await step(name, (signal) => makeImage(context, plan, found.source, signal), {
      ...context.onBuilt(plan.name),
      undo: (signal, _, because) => dropBuild(context, signal, because),
    })
  }
  return { blueprint, images, source: found.source }
}
