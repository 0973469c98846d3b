/** The command was not written right; shells know this as exit code 2. */
export class UsageError extends Error {}
