const KINDS = ['folder', 'repository', 'image'] as const
export type From = (typeof KINDS)[number]

/** What the address of the page says: the way, the project where it is for one that exists, and what was looked for. */
export type NewSearch = { from?: From | undefined } & { [Name in (typeof TEXTS)[number]]?: string | undefined }

const TEXTS = ['project', 'owner', 'repo', 'branch', 'q', 'image'] as const

export function readNewSearch(search: Record<string, unknown>): NewSearch {
  const from = KINDS.find((kind) => kind === search.from)
  const texts = TEXTS.flatMap((name) =>
    typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [],
  )
  return { ...(from && { from }), ...Object.fromEntries(texts) }
}
