import { visit } from '../../../test-kit/visit.ts'

const EVERY_MS = 20

/** Asks a service all the time, each time over a connection of its own, and knows for how long none of it was answered. */
export type Outage = ReturnType<typeof watchOutage>

export function watchOutage(at: { address: string; port: number }, host: string) {
  const open = new Set<Promise<void>>()
  let last = performance.now()
  let longest = 0
  let failed = 0
  const once = async () => {
    const fine = await visit(at, host).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (!fine) {
      failed++
      return
    }
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(() => {
    const asked = once()
    open.add(asked)
    void asked.finally(() => open.delete(asked))
  }, EVERY_MS)
  return {
    /** The longest time without an answer since this was asked last, and how many requests failed in all that time. */
    async take(): Promise<{ longestMs: number; failed: number }> {
      // One that is still waited for may be what ends it.
      await Promise.race([Promise.all(open), new Promise((done) => setTimeout(done, 5000))])
      const taken = { longestMs: Math.round(Math.max(longest, performance.now() - last)), failed }
      longest = 0
      failed = 0
      return taken
    },
    look: async () => (await visit(at, host)).text,
    stop: () => clearInterval(timer),
  }
}
