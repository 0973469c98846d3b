import { Refusal } from '../errors.ts'

/** Optimistic locking: whoever changes a row names the version that they read. */
export const stale = (version: number) =>
  new Refusal('stale', `This changed meanwhile: it is at version ${version}.`, {
    hint: 'Read it again and repeat the change with its new ETag.',
  })

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** `undefined` means "not named" and must not reach the database as null. */
export const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as Defined<T>
