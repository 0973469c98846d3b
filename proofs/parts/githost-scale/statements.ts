import type { TestDatabase } from '../../../test-kit/database.ts'

type Sample = { text: string; values: unknown[]; ms: number }
type Client = { query(...args: unknown[]): Promise<unknown> }
type Pool = { on(event: 'connect', heard: (client: Client) => void): void }

/** Notes of each statement the slowest time it was sent. */
export function watchStatements() {
  const slowest = new Map<string, Sample>()
  const note = (text: string, values: unknown[], ms: number) => {
    if (/^\s*(begin|commit|rollback)/i.test(text) || ms <= (slowest.get(text)?.ms ?? -1)) return
    slowest.set(text, { text, values, ms })
  }
  const watch = (pool: Pool) =>
    pool.on('connect', (client) => {
      const query = client.query.bind(client)
      client.query = async (...args) => {
        const [text, values] = args as [string, unknown[] | undefined]
        const began = performance.now()
        try {
          return await query(...args)
        } finally {
          if (typeof text === 'string') note(text, values ?? [], performance.now() - began)
        }
      }
    })
  return { watch, samples: () => [...slowest.values()] }
}

/** As PostgreSQL itself counts it, with the values of the slowest time; the best of five, because others use the machine. */
export async function slowestStatements({ pool }: TestDatabase, samples: Sample[]) {
  let worst = { ms: 0, text: '' }
  for (const { text, values } of samples) {
    const client = await pool.connect()
    try {
      const times: number[] = []
      for (let n = 0; n < 5; n++) {
        await client.query('begin')
        const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
        times.push(Number(rows[0]['QUERY PLAN'][0]['Execution Time']))
        await client.query('rollback')
      }
      const ms = Math.min(...times)
      if (ms > worst.ms) worst = { ms, text: text.replace(/\s+/g, ' ').slice(0, 200) }
    } finally {
      client.release()
    }
  }
  return worst
}
