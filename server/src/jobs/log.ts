/** The part of a logger that is used here. */
export type Log = Record<'info' | 'warn' | 'error', (facts: object, words: string) => void>
