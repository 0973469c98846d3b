import { randomBytes } from 'node:crypto'
import type { IdPrefix } from '@slipway/contract/ids'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 48 bits of time and 80 random bits: ids sort by the moment they were made, on every process alike. */
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
  now = Date.now(),
): string {
  let time = ''
  for (let rest = now, i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  let random = ''
  for (const byte of randomBytes(16)) random += ALPHABET[byte & 31]
  return `${prefix}_${time}${random}`
}
