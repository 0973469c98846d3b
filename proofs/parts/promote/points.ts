import { hold } from '../faults/hold.ts'
import { stepsOf } from '../faults/run-rows.ts'
import { RUN } from './close-hold.ts'
import type { Scene } from './ground.ts'

type Moment = 'begins' | 'is in the middle' | 'ends'
/** A moment of a promotion; `nth`: which of the calls of that step is under way in its middle. */
export type Point = { step: string; moment: Moment; nth: number }
/** `release` may be asked for more than once. */
export type Held = { met(): Promise<void>; release(): Promise<void> }

export const nameOf = ({ step, moment, nth }: Point) =>
  `${step} ${moment}${moment === 'is in the middle' ? ` (call ${nth})` : ''}`

/** All steps have ended, and the transaction that makes the cloud the target waits for its row. */
const CLOSE: Point = { step: RUN, moment: 'ends', nth: 0 }

/** What undoes a promotion: its calls are the same at the beginning, and later as many as it takes. */
export const undoPointsOf = (steps: string[], calls: Map<string, number>): Point[] =>
  steps.flatMap((step): Point[] => [
    { step, moment: 'begins', nth: 0 },
    ...[1, 2].flatMap((nth): Point[] =>
      nth <= (calls.get(step) ?? 0) ? [{ step, moment: 'is in the middle', nth }] : [],
    ),
    { step, moment: 'ends', nth: 0 },
  ])

/**
 * Of each step of a dry run: as it begins, as it ends, and with the answer to its first, middle and last call kept back: the cloud has
 * done what it was asked for, and the instance does not know.
 */
export function pointsOf(steps: string[], calls: Map<string, number>): Point[] {
  const ofSteps = steps.flatMap((step): Point[] => {
    const most = calls.get(step) ?? 0
    const nths = most === 0 ? [] : [...new Set([1, Math.ceil(most / 2), most])]
    // How often the end is asked for depends on how long it takes: the first time is as good as any.
    const middles = step === 'await' ? nths.slice(0, 1) : nths
    return [
      { step, moment: 'begins', nth: 0 },
      ...middles.map((nth): Point => ({ step, moment: 'is in the middle', nth })),
      { step, moment: 'ends', nth: 0 },
    ]
  })
  return [...ofSteps, CLOSE]
}

export async function holdAt({ pool, way }: Scene, { step, moment, nth }: Point): Promise<Held> {
  if (moment === 'is in the middle') return way.keepBack(step, nth)
  const { met, release } = await hold(pool, step, moment === 'begins' ? 'start' : 'end')
  let released: Promise<void> | undefined
  return {
    met,
    release() {
      released ??= release()
      return released
    },
  }
}

/** Whether the run is where it was to be struck; undefined: it is. */
export async function missed({ pool }: Scene, id: string, { step, moment }: Point): Promise<string | undefined> {
  const steps = await stepsOf(pool, id)
  if (step === CLOSE.step) {
    const open = steps.filter(({ ended }) => ended === null).map(({ name }) => name)
    return open.length === 0 ? undefined : `${open.join(', ')} had not ended`
  }
  const row = steps.find(({ name }) => name === step)
  if (moment === 'begins') return row === undefined ? undefined : `${step} had begun`
  if (row === undefined) return `${step} had not begun`
  return row.ended === null ? undefined : `${step} had ended`
}
