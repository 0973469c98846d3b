import type { BaseLogger } from 'pino'

/** The part of a logger that is used here. */
export type Log = Pick<BaseLogger, 'info' | 'warn' | 'error'>
