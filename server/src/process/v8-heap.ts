import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Settings of V8 that are changed while it runs; `SLIPWAY_V8_TUNING=off` leaves it as it is, should one ever be in the way. */
const isOn = process.env.SLIPWAY_V8_TUNING !== 'off'
const set = (flag: string) => isOn && setFlagsFromString(flag)

/**
 * Nearly all that is made while a program is loaded stays. V8 takes that for a sign of load and lets the space for
 * short-lived objects grow, which an idle process does not give back: a quarter of its memory. So nothing of this grows
 * before the start is over. To be called before anything large is imported.
 */
export const keepSmall = () => set('--semi-space-growth-factor=1')

/** From here on it grows under load, as ever. */
export const mayGrow = () => set('--semi-space-growth-factor=2')

const EVERY = 8 * 1024 * 1024
let spent = 0
let collect: ((options: { type: 'minor' }) => void) | undefined

/**
 * Tells that so many bytes of buffers are not needed any more. V8 lets about 64 MB of them pile up before it looks, all
 * of it resident. A look at the young generation every few megabytes took 60 MB off the peak, and made large uploads a
 * quarter faster because memory that is still in the processor's cache gets used again. `bin/prove upload` measures it.
 */
export function spend(bytes: number): void {
  spent += bytes
  if (spent < EVERY || !isOn) return
  spent = 0
  collect ??= exposed()
  collect({ type: 'minor' })
}

function exposed(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
