/** One at a time; who starts it while it runs has it run once more. */
export function singleFlight(work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let running: Promise<void> | null = null
  let again = false
  const start = (): void => {
    again = running !== null
    running ??= work()
      .then(() => {}, onError)
      .finally(() => {
        running = null
        if (again) start()
      })
  }
  return { start, ended: () => running ?? Promise.resolve() }
}
