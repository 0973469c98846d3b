/**
 * Asked between the look and the write: rejects when the caller has lost the right to write. A caller who is stopped
 * right after it carries an old version of the service to the engine, which refuses it if anything has changed since.
 */
export type Guard = () => Promise<unknown>
