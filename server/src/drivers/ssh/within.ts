type Limits = { signal: AbortSignal; deadlineMs: number; late: () => Error }

/** Waits for `work`, but no longer than the deadline and not past the signal; what comes later is ignored. */
export function within<T>(work: Promise<T>, { signal, deadlineMs, late }: Limits): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => settle(() => reject(signal.reason))
    const timer = setTimeout(() => settle(() => reject(late())), deadlineMs)
    const settle = (how: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      how()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    work.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    )
  })
}
