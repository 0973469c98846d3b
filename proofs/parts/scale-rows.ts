export type Sizes = Record<'orgs' | 'people' | 'servers' | 'projects' | 'deployments' | 'tokens' | 'rest', number>

/** Rows of the large organization that come first in every table, so that each of its lists has several pages. */
export const HEAD = 400

/** Row n of a kind has this id: it sorts by n, as real ids sort by time. */
export const id = (prefix: string, n: string) =>
  `'${prefix}_01k' || lpad(to_hex(${n}), 7, '0') || left(md5('${prefix}' || ${n}), 16)`

/**
 * `n` is the row's number and `k` its organization's. 0 is the large one; 1 has nearly as much, all of it old: whoever
 * looks for its newest rows among everyone's passes by all the others'.
 */
export const rowsOf = (count: number, orgs: number) =>
  `(select n, case when n < ${HEAD} then 0 when n < ${HEAD + Math.max(100, Math.round(count / 100))} then 1
      when n % 100 = 0 then 0 else 2 + floor(${orgs - 2} * power(random(), 2))::int end as k
    from generate_series(0, ${count - 1}) n) as rows`
