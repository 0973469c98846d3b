import { hash, randomBytes } from 'node:crypto'

export const TOKEN_PREFIX = 'slp_'

/** Access tokens and one-time codes hold 256 random bits, so a plain hash is enough to store them by. */
export const hashSecret = (secret: string) => hash('sha256', secret, 'buffer')

export const newTokenSecret = () => `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`

export const newCode = () => randomBytes(32).toString('base64url')
