import type { Run } from '../../../jobs/steps.ts'
import { findSource } from '../blueprint/find-source.ts'
import { tidyUp } from '../converge/remove-old-images.ts'
import { type Because, type DeployContext, loadDeployContext, withServices } from '../deploy-context.ts'
import type { BuiltImage, DeployParts, Frozen } from '../parts.ts'
import { freezeRelease } from '../release/freeze.ts'
import { makeImage } from '../release/make-image.ts'
import { findOldImages, takeOldRelease } from '../release/old-release.ts'
import { layFiles } from '../rollout/copy-mounted-files.ts'
import { decide } from '../rollout/decide.ts'
import { dropBuild, dropContainers } from '../rollout/drop-leftovers.ts'
import { explainedSteps, explainStep } from '../rollout/explain-step.ts'
import { askBeforeBuild, askBeforeRelease } from '../rollout/gates.ts'
import { retire } from '../rollout/retire.ts'
import { rollOut } from '../rollout/roll-out.ts'
import { dropRoutes, routeToRelease } from '../rollout/route-to-release.ts'
import { openBlueprint } from '../rows/blueprint.ts'
import { markOperations } from '../rows/plan-store.ts'
import { stepHooks } from './step-hooks.ts'

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
  try {
    const frozen = await makeRelease(context)
    const known = withServices(
      context,
      frozen.services.map(({ name }) => name),
    )
    await bringLive(known, frozen)
  } finally {
    await context.events.flush().catch(() => {})
  }
}

/** Steps 1 to 5, or an old release in their place. */
async function makeRelease(context: DeployContext): Promise<Frozen> {
  // Comes when the rollout has been undone.
  const undo = (signal: AbortSignal, _: unknown, because: Because) => dropContainers(context, signal, because)
  const release = { ...stepHooks(context.run).onFrozen, undo }
  const step = explainedSteps(context)
  const old = context.deployment.request.rollbackOf
  if (old === undefined) {
    const made = await makeImages(context)
    const { known, blueprint, images } = made
    const stepOf = explainedSteps(known)
    await askBeforeRelease(known)
    await layFiles(known, stepOf, made)
    return stepOf<Frozen>('release', (signal) => freezeRelease(known, blueprint, images, signal), release)
  }
  const { gone } = await step('find', (signal) => findOldImages(context, old, signal))
  // Going back is urgent, and quick while the images are there.
  if (gone.length > 0) await context.run.takeTime()
  const { images } = gone.length > 0 ? await makeImages(context) : { images: {} }
  return step<Frozen>('release', (signal) => takeOldRelease(context, old, images, signal), release)
}

/** Steps 6 to 10. */
async function bringLive(context: DeployContext, frozen: Frozen): Promise<void> {
  const { run } = context
  const step = explainedSteps(context)
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
}

/** One after the other: each of them may take the whole machine. */
async function makeImages(context: DeployContext) {
  const hooks = stepHooks(context.run)
  const found = await explainedSteps(context)('source', (signal) => findSource(context, signal), hooks.onSource)
  const known = withServices(context, found.services)
  const step = explainedSteps(known)
  const blueprint = openBlueprint(known.parts, known.deployment.id, found.blueprint)
  await askBeforeBuild(known)
  const images: Record<string, BuiltImage> = {}
  for (const plan of blueprint.services) {
    const name = blueprint.services.length === 1 ? 'build' : `build:${plan.name}`
    images[plan.name] = await step(name, (signal) => makeImage(known, plan, found.source, signal), {
      ...hooks.onBuilt(plan.name),
      undo: (signal, _, because) => dropBuild(known, signal, because),
    })
  }
  return { known, blueprint, images, source: found.source }
}
