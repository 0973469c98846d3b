import { randomUUID } from 'node:crypto'

/** For a POST that begins something: repeating it after a lost answer repeats the answer, not the act. */
export const once = () => ({ 'idempotency-key': randomUUID() })
