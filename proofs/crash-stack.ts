import { onPair, prover } from './parts/faults/crash-parts.ts'
import { killStack } from './parts/faults/crash-stack.ts'

export const claim =
  'a stack of six services survives the death of its owner at any moment of its deployment, and of the undoing after it was rejected'
export const kind = 'story'
export const quick = false

/** More at once, and it is the machine that is late. */
const LANES = 2

const how =
  'kills with -9 at the start, in the middle and at the end of every step of the journal of a six-service stack'
export const prove = prover(how, LANES, {
  rejected: () => onPair('crasht', 5, (pair) => killStack(pair, 'stack rejected')),
  stack: () => onPair('crashs', 4, (pair) => killStack(pair, 'stack')),
})
