import type { Run } from '../../jobs/steps.ts'
import { freezeRelease, takeOldRelease } from './freeze.ts'
import { askBeforeBuild, askBeforeRelease } from './gates.ts'
import { makeImage } from './make-image.ts'
import { closeDoors, openDoors } from './open-doors.ts'
import type { DeployParts } from './parts.ts'
import { type Because, dropBuild, dropContainers, putBack } from './put-back.ts'
import { toldSteps } from './retell.ts'
import { rollOut } from './roll-out.ts'
import { openScene } from './scene.ts'
import { findSource } from './source.ts'
import { tidyUp } from './tidy-up.ts'

/**
 * The story of a deployment. Each step is fenced and may run twice; what one returns is what a replay returns.
 *   1. source    what is deployed, pinned: a commit, a sealed upload, an image
 *   2. gate      someone approves the build, where the project asks for it
 *   3. build     an image, made on the server's own engine
 *   4. gate      someone approves the release
 *   5. release   image and configuration, frozen and sealed
 *   6. rollout   the engine brings it up; its tasks say how that went. Undone by the previous release's own spec
 *   7. route     names lead to it
 *   8. tidy      what no release needs any more goes
 * A rollback is the same story with an old release in place of 1 to 5. Ending (pipeline.ts) makes it the active one.
 */
export async function deploy(parts: DeployParts, run: Run): Promise<void> {
  const scene = await openScene(parts, run)
  const step = toldSteps(scene)
  // Comes when the rollout has been undone.
  const undo = (signal: AbortSignal, _: unknown, because: Because) => dropContainers(scene, signal, because)
  const release = { ...scene.onFrozen, undo }
  try {
    const old = scene.deployment.request.rollbackOf
    if (old === undefined) {
      const source = await step('source', (signal) => findSource(scene, signal), scene.onSource)
      await askBeforeBuild(scene)
      const image = await step('build', (signal) => makeImage(scene, source, signal), {
        ...scene.onBuilt,
        undo: (signal, _, because) => dropBuild(scene, signal, because),
      })
      await askBeforeRelease(scene)
      await step('release', (signal) => freezeRelease(scene, image, signal), release)
    } else {
      await step('release', (signal) => takeOldRelease(scene, old, signal), release)
    }
    await step('rollout', (signal) => rollOut(scene, signal), {
      undo: (signal, _, because) => putBack(scene, signal, because),
    })
    await step('route', (signal) => openDoors(scene, signal), {
      undo: (signal, _, because) => closeDoors(scene, signal, because),
    })
    await step('tidy', (signal) => tidyUp(scene, signal))
  } finally {
    await scene.events.flush().catch(() => {})
  }
}
