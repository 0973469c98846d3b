import { createHmac, randomInt } from 'node:crypto'
import type { KeyRing } from '../../drivers/crypto/key-ring.ts'

/** Without I, L, O and U: nothing looks like something else, and what is typed instead of a digit is that digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 8

/** 40 random bits, such as K7QM-4T2X. */
export function newUserCode(): string {
  const signs = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return asShown(signs)
}

/** A code as a person types it; null for what no code can be. */
export function readUserCode(typed: string): string | null {
  const signs = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  const fits = signs.length === LENGTH && [...signs].every((sign) => ALPHABET.includes(sign))
  return fits ? asShown(signs) : null
}

const asShown = (signs: string) => `${signs.slice(0, LENGTH / 2)}-${signs.slice(LENGTH / 2)}`

/** Short enough to be tried through by whoever has a copy of the database, so the hash takes a key that is not in it. */
export const hashUserCode = (keys: Pick<KeyRing, 'derive'>, code: string): Buffer =>
  createHmac('sha256', keys.derive('user-codes')).update(code).digest()
