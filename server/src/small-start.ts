import { setFlagsFromString } from 'node:v8'

/**
 * Nearly all that is made while a program is loaded stays. V8 takes that for a sign of load and lets the space for
 * short-lived objects grow, which an idle process does not give back: a quarter of its memory. So nothing of this grows
 * before the start is over. To be called before anything large is imported.
 */
export const keepSmall = () => setFlagsFromString('--semi-space-growth-factor=1')

/** From here on it grows under load, as ever. */
export const mayGrow = () => setFlagsFromString('--semi-space-growth-factor=2')
