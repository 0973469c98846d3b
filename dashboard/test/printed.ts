import { append, type NewEvent } from '../../server/src/core/deployments/events/events-store.ts'
import type { World } from '../../test-kit/world.ts'

const WORDS = ['checkout', 'orders', 'gift-cards', 'inventory', 'payments', 'price-rules', 'session-store']

/** What a build of several services prints: plain lines, colours, warnings, and an error now and then. */
export function textOf(n: number): string {
  const word = WORDS[n % WORDS.length]
  if (n % 97 === 13) return `error: request to mirror timed out after ${n % 40} s, trying the next one`
  if (n % 23 === 5) return `warning: ${word} uses a deprecated entry point, see its changelog`
  if (n % 8 === 0)
    return `\x1b[32m✓\x1b[39m ${word} ${n % 60} modules transformed, ${n % 400} kB, \x1b[2mgzip ${n % 90} kB\x1b[22m`
  if (n % 11 === 7) return `\x1b[36mcompile\x1b[39m ${word}/db/pool.ts \x1b[90m${n % 900} ms\x1b[39m`
  return `step ${n} ${word} lib/money.ts resolved in ${(n * 37) % 900} ms`
}

/** So many lines, in turns of the services; `from` is the number of the first one. */
export function linesOf(count: number, services: string[], { from = 1, step = '[4/7] RUN npm ci' } = {}): NewEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const line = textOf(from + n)
    const stream = line.startsWith('error') ? 'stderr' : 'stdout'
    return { type: 'log', at: new Date(), data: { service: services[n % services.length] ?? null, step, stream, line } }
  })
}

/** Stores events as a build would, in batches, and tells whoever follows. */
export async function print({ platform }: World, id: string, events: NewEvent[]): Promise<void> {
  for (let n = 0; n < events.length; n += 500) await append(platform.db, id, null, events.slice(n, n + 500))
  platform.changes.send(id)
}
