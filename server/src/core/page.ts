import type { Page, PageQuery } from '@slipway/contract/pages'
import { Refusal } from '../errors.ts'

/** Sorts behind every id, so that "before this" without a cursor means "from the newest". */
export const NEWEST = '~'

/**
 * Rows that a page looks at, at most, where a condition that no index knows may refuse most of them. A page may then hold
 * fewer than it was asked for, or none, and go on all the same: the list ends where `nextCursor` is null.
 */
export const MOST_LOOKED_AT = 400

/** Keyset pagination: the key a page starts after. A cursor that we did not make is refused rather than guessed at. */
export function startOf(query: PageQuery): string {
  if (query.cursor === undefined) return NEWEST
  const key = Buffer.from(query.cursor, 'base64url').toString('utf8')
  if (!/^[\x21-\x7e]{1,400}$/.test(key)) throw unknownCursor()
  return key
}

export const unknownCursor = () =>
  new Refusal('invalid_request', 'The cursor is not one this API gave out.', {
    field: 'cursor',
    hint: 'Send nextCursor of the previous page unchanged, or leave cursor out to start over.',
  })

/**
 * Stores read one row more than asked for: its presence says whether there is a next page. So does `reached`, the key
 * of the last row that was looked at, where that was not the last there is.
 */
export function toPage<Row, T>(
  rows: Row[],
  query: PageQuery,
  keyOf: (row: Row) => string,
  shape: (row: Row) => T,
  reached: string | null = null,
): Page<T> {
  const more = rows.length > query.limit
  const shown = more ? rows.slice(0, query.limit) : rows
  const last = shown.at(-1)
  const key = more && last !== undefined ? keyOf(last) : reached
  return { data: shown.map(shape), nextCursor: key === null ? null : Buffer.from(key).toString('base64url') }
}
