const EVERY_MS = 200

/** Waits until it is so, and says what it was that did not come. */
export async function waited(what: string, deadlineMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${deadlineMs / 1000} s.`)
    await new Promise((next) => setTimeout(next, EVERY_MS))
  }
}
