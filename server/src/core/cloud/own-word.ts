import type { Answered } from '../../drivers/cloud-forward/passage.ts'

/** The cloud itself said so, and not what stands before it. */
export const isOwnWord = ({ headers }: Pick<Answered, 'headers'>) => headers['slipway-version'] !== undefined
