/** Failures in a row that open it. */
const MOST_FAILURES = 3
const PROBE_EVERY_MS = 3000
const PROBE_MS = 2000
/** For so long a failure says something about now. */
const FRESH_MS = 60_000
/** Nobody wants to know any more: it is closed, and the next call finds out. */
const FORGOTTEN_MS = 10 * 60_000

type Attempt = { succeeded(): void; failed(): void }
export type Breaker = {
  /** Undefined while it is open: whoever asks is refused at once. */
  enter(): Attempt | undefined
  /** It is open, or the last try has failed and was a moment ago. */
  isAway(): boolean
  close(): void
}
type Options = {
  probe(signal: AbortSignal): Promise<boolean>
  told(state: 'open' | 'closed'): void
  probeEveryMs?: number
}

/**
 * Circuit breaker. Open, it is half-open for one probe at a time, of its own and in the background: no caller is sent ahead to find
 * out. There is no timer while it is closed.
 */
export function breaker({ probe, told, probeEveryMs = PROBE_EVERY_MS }: Options): Breaker {
  let failures = 0
  let opened: AbortController | null = null
  // What began before it opened says nothing about afterwards.
  let generation = 0
  let askedAt = 0

  const shut = () => {
    opened?.abort()
    opened = null
    failures = 0
  }
  const look = async (over: AbortController) => {
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(PROBE_MS)])
    const back = await probe(signal).catch(() => false)
    if (over.signal.aborted) return
    if (!back && Date.now() - askedAt < FORGOTTEN_MS) return wait(over)
    shut()
    told('closed')
  }
  const wait = (over: AbortController) => {
    const timer = setTimeout(() => void look(over), probeEveryMs).unref()
    over.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }
  const open = () => {
    opened = new AbortController()
    generation++
    told('open')
    wait(opened)
  }
  return {
    enter() {
      askedAt = Date.now()
      if (opened) return undefined
      const mine = generation
      return {
        succeeded() {
          if (mine === generation) failures = 0
        },
        failed() {
          if (mine !== generation) return
          failures++
          if (failures >= MOST_FAILURES) open()
        },
      }
    },
    isAway: () => opened !== null || (failures > 0 && Date.now() - askedAt < FRESH_MS),
    close: shut,
  }
}
