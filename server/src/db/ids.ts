import { randomBytes } from 'node:crypto'
import type { IdPrefix } from '@slipway/contract/ids'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const LENGTH = 16
/** The newest id of this process: when it was made, and its random digits. */
const newest = { at: 0, digits: new Uint8Array(LENGTH) }

/**
 * 48 bits of time and 80 random bits: ids sort by the moment they were made, on every process alike. Those of one process sort as they were
 * made within a millisecond too (a monotonic ULID): what one transaction writes twice is listed in its order. The step from one to the
 * next is random as well, so that nobody reckons an id from another.
 */
export function newId(
  prefix:
    | IdPrefix
    | 'ses'
    | 'crd'
    | 'ver'
    | 'rat'
    | 'var'
    | 'req'
    | 'run'
    | 'crt'
    | 'acc'
    | 'ins'
    | 'gha'
    | 'ghl'
    | 'ghc'
    | 'ght'
    | 'ghh'
    | 'clr'
    | 'eml'
    | 'sgn',
  now?: number,
): string {
  const at = now ?? Date.now()
  let random = ''
  for (const digit of now === undefined ? digitsAfter(at) : drawn()) random += ALPHABET[digit]
  return `${prefix}_${timeOf(at)}${random}`
}

/** Sorts before all that are made from this moment on, and behind those made before it. */
export const firstIdAt = (prefix: IdPrefix, at: number): string => `${prefix}_${timeOf(Math.max(0, at))}`

function timeOf(at: number): string {
  let time = ''
  for (let rest = at, i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  return time
}

function digitsAfter(at: number): Uint8Array {
  const digits = drawn()
  // Half of the space is left for those that follow within the millisecond: far more than can be made in one.
  if (at !== newest.at) digits[0] = (digits[0] ?? 0) & 15
  else add(digits.fill(0, 0, LENGTH / 2), newest.digits)
  Object.assign(newest, { at, digits })
  return digits
}

const drawn = () => new Uint8Array(randomBytes(LENGTH)).map((byte) => byte & 31)

/** More by at least one. */
function add(digits: Uint8Array, before: Uint8Array): void {
  let carry = 1
  for (let i = LENGTH - 1; i >= 0; i--) {
    const sum = (digits[i] ?? 0) + (before[i] ?? 0) + carry
    digits[i] = sum & 31
    carry = sum >> 5
  }
}
