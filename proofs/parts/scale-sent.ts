import pg from 'pg'

/** A statement that the server sent, with what it sent along and on whose behalf. */
export type Sent = { text: string; values: unknown[]; route: string }

type Query = (this: pg.Client, first: unknown, ...rest: unknown[]) => unknown

/** Writes down every statement that leaves this process towards one database, while `work` runs. */
export async function sentDuring(database: string, work: (label: (route: string | null) => void) => Promise<void>) {
  const sent: Sent[] = []
  let route: string | null = null
  const holder = pg.Client.prototype as unknown as { query: Query }
  const original = holder.query
  holder.query = function (first, ...rest) {
    const config = typeof first === 'string' ? { text: first, values: rest[0] } : (first as Partial<Sent>)
    if (route !== null && typeof config.text === 'string' && this.database === database) {
      sent.push({ text: config.text, values: Array.isArray(config.values) ? [...config.values] : [], route })
    }
    return original.call(this, first, ...rest)
  }
  try {
    await work((next) => {
      route = next
    })
  } finally {
    holder.query = original
  }
  return sent.filter(({ text }) => /^\s*(select|with|insert|update|delete)\b/i.test(text))
}

/** Whether it only looks; a lock counts as looking. */
export const looks = (text: string) => !/\b(insert\s+into|delete\s+from|update\s+"?\w+"?\s+set)\b/i.test(text)
