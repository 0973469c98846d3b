type Page<T> = { data: T[]; nextCursor: string | null }
type Asked = { limit: number; cursor?: string }

/** Rows of a list, page by page as they are needed; `most` ends it. */
export async function* pagesOf<T>(
  ask: (page: Asked) => Promise<Page<T>>,
  { most = Number.POSITIVE_INFINITY, limit = 100 } = {},
): AsyncGenerator<T> {
  let left = most
  let cursor: string | null = null
  do {
    const { data, nextCursor }: Page<T> = await ask({
      limit: Math.min(limit, left),
      ...(cursor !== null && { cursor }),
    })
    yield* data
    left -= data.length
    cursor = nextCursor
  } while (cursor !== null && left > 0)
}

/** All rows up to a bound that no reader of a terminal misses. */
export async function listed<T>(ask: (page: Asked) => Promise<Page<T>>, most = 1000): Promise<T[]> {
  const rows: T[] = []
  for await (const row of pagesOf(ask, { most })) rows.push(row)
  return rows
}
