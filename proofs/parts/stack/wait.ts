const EVERY_MS = 300

/** Looks now and then, because many wait at the same time and the machine is to be left to what they wait for. */
export async function until<T>(what: string, ms: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`${what}: not within ${ms / 1000} s`)
    await new Promise((next) => setTimeout(next, EVERY_MS))
  }
}
