/** Failures in a row that open it. */
const MOST_FAILURES = 3
const PROBE_EVERY_MS = 3000
const PROBE_MS = 2000
/** For so long a failure says something about now. */
const FRESH_MS = 60_000
/** Nobody wants to know any more: it is closed, and the next call finds out. */
const FORGOTTEN_MS = 10 * 60_000

type Attempt = { succeeded(): void; failed(): void }
/** `whose`: on whose behalf, so that what one of them runs into is not taken for everybody's. */
export type Breaker = {
  /** Undefined while it is open: whoever asks is refused at once. */
  enter(whose: string): Attempt | undefined
  /** It is open, or the last try has failed and was a moment ago. */
  isAway(whose: string): boolean
  /** For good: what is still on its way does not open it any more. */
  close(): void
}
type Options = {
  probe(signal: AbortSignal): Promise<boolean>
  told(state: 'open' | 'closed'): void
  probeEveryMs?: number
}
/** Until a probe has failed, it is open only for the one whose calls alone have. */
type Open = { over: AbortController; only: string | null; timer: NodeJS.Timeout | undefined }

/**
 * Circuit breaker. Open, it is half-open for one probe at a time, of its own and in the background: no caller is sent ahead to find
 * out. There is no timer while it is closed.
 */
export function breaker({ probe, told, probeEveryMs = PROBE_EVERY_MS }: Options): Breaker {
  // Of failures in a row: whose they were.
  let failed: string[] = []
  let opened: Open | null = null
  let isClosed = false
  // What began before it opened says nothing about afterwards.
  let generation = 0
  let askedAt = 0

  const shut = () => {
    opened?.over.abort()
    clearTimeout(opened?.timer)
    opened = null
    failed = []
  }
  const look = async (now: Open) => {
    const signal = AbortSignal.any([now.over.signal, AbortSignal.timeout(PROBE_MS)])
    const back = await probe(signal).catch(() => false)
    if (now.over.signal.aborted) return
    if (!back && Date.now() - askedAt < FORGOTTEN_MS) {
      now.only = null
      return wait(now)
    }
    shut()
    told('closed')
  }
  const wait = (now: Open) => {
    now.timer = setTimeout(() => void look(now), probeEveryMs).unref()
  }
  const open = (only: string | null) => {
    opened = { over: new AbortController(), only, timer: undefined }
    told('open')
    wait(opened)
  }
  const isOpenTo = (whose: string) => opened !== null && (opened.only === null || opened.only === whose)
  return {
    enter(whose) {
      askedAt = Date.now()
      if (isOpenTo(whose)) return undefined
      const mine = generation
      return {
        succeeded() {
          if (mine === generation) failed = []
        },
        failed() {
          if (isClosed || mine !== generation) return
          failed.push(whose)
          if (failed.length < MOST_FAILURES) return
          const only = failed.every((one) => one === whose) ? whose : null
          failed = []
          generation++
          if (opened) opened.only = null
          else open(only)
        },
      }
    },
    isAway: (whose) => isOpenTo(whose) || (failed.includes(whose) && Date.now() - askedAt < FRESH_MS),
    close() {
      isClosed = true
      shut()
    },
  }
}
