import { stepsOf } from '../faults/run-rows.ts'
import type { Scene, Subject } from './ground.ts'
import { judge, reset } from './judge.ts'
import { begin, cancelled, met, over } from './moves.ts'
import { type Held, holdAt, nameOf, type Point } from './points.ts'

/** Everything is there by then, and has to go again. */
export const IN_AWAIT: Point = { step: 'await', moment: 'is in the middle', nth: 1 }

/** It is cancelled while it waits for its end there, and comes to that moment of its way back. */
export async function onItsWayBack(scene: Scene, id: string, point: Point, waiting: Held): Promise<Held> {
  const held = await holdAt(scene, point)
  try {
    await cancel(scene, id, waiting)
    await met(held, `${nameOf(point)}: it never came to that`)
    return held
  } catch (error) {
    await held.release()
    throw error
  }
}

async function cancel(scene: Scene, id: string, waiting: Held): Promise<void> {
  if (!(await cancelled(scene, id, IN_AWAIT, waiting))) throw new Error('it could not be cancelled')
  await waiting.release()
}

/** A cancel without any blow: what undoes the promotion, and how often each of that calls the cloud. */
export async function dryCancel(scene: Scene, subject: Subject) {
  await reset(scene, subject)
  const waiting = await holdAt(scene, IN_AWAIT)
  try {
    const id = await begin(scene, subject)
    await met(waiting, 'it never came to its end there')
    await cancel(scene, id, waiting)
    await over(scene, subject)
    const calls = scene.way.counted()
    const steps = (await stepsOf(scene.pool, id)).map(({ name }) => name).filter((name) => name.startsWith('undo:'))
    const wrong = await judge(scene, subject, id, ['cancelled'])
    if (wrong.length > 0) throw new Error(`cancelled without any blow: ${wrong.join('; ')}`)
    return { steps, calls }
  } finally {
    await waiting.release()
  }
}
