/**
 * For a POST that begins something: repeating it after a lost answer repeats the answer, not the act. Not by `import`, which loads more
 * of the module than this takes.
 */
export const once = () => ({ 'idempotency-key': process.getBuiltinModule('node:crypto').randomUUID() })
