import { eventCutter, type StreamEvent } from './event-reader.ts'

/** How a log is being read. `waitMs`: until it is tried again. */
export type Connection =
  | { state: 'connecting' | 'reading' | 'live' | 'held' | 'ended' }
  | { state: 'lost'; waitMs: number }
  | { state: 'refused'; status: number; sentence: string | null }

export type Asked = { url: string; headers?: Record<string, string> }

type Options = {
  /** Asked for anew at every connection: it goes on behind what is here. */
  request(): Asked
  /** Grows with what is read. */
  progress(): number
  take(event: StreamEvent): void
  tell(connection: Connection): void
  signal: AbortSignal
  /** `now`: there is a reason to try at once. */
  nudges: EventTarget
}

/** The server says that it is still there every 12 s. */
const QUIET_MS = 30_000
const SHORTEST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/** Reads a stream to its `end`, however often the connection breaks: backoff with jitter, and never what is here already. */
export async function followStream({ request, progress, take, tell, signal, nudges }: Options): Promise<void> {
  tell({ state: 'connecting' })
  for (let attempt = 0; !signal.aborted; attempt++) {
    const before = progress()
    const outcome = await readEvents(request(), take, () => tell({ state: 'live' }), signal).catch(
      () => 'lost' as const,
    )
    if (signal.aborted) return
    if (outcome === 'ended') return tell({ state: 'ended' })
    if (typeof outcome === 'object') return tell({ state: 'refused', ...outcome })
    if (progress() > before) attempt = 0
    const waitMs = waitBefore(attempt)
    tell({ state: 'lost', waitMs })
    if (await nudgedWithin(waitMs, signal, nudges)) attempt = 0
    if (!signal.aborted) tell({ state: 'connecting' })
  }
}

export const waitBefore = (attempt: number, random = Math.random()): number =>
  Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** Math.min(attempt, 8)) * (0.75 + random / 2)

/** How a connection ended: by its `end` event, by a refusal that will not change, or in the middle. */
type Outcome = 'ended' | 'lost' | { status: number; sentence: string | null }

async function readEvents(
  asked: Asked,
  take: Options['take'],
  live: () => void,
  signal: AbortSignal,
): Promise<Outcome> {
  let isEnded = false
  const cut = eventCutter((event) => {
    if (event.type === 'end') isEnded = true
    take(event)
  })
  const refused = await readText(
    { ...asked, headers: { accept: 'text/event-stream', ...asked.headers } },
    cut,
    live,
    signal,
  )
  return refused ?? (isEnded ? 'ended' : 'lost')
}

/** Hands over text as it comes; answers with why there was none, or undefined after the last of it. */
export async function readText(
  { url, headers = {} }: Asked,
  take: (text: string) => void,
  begun: () => void,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const quiet = new AbortController()
  let timer = setTimeout(() => quiet.abort(), QUIET_MS)
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.any([signal, quiet.signal]) })
    if (answer.status === 204) return 'ended'
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return refusalIn(answer)
    if (!answer.ok || !answer.body) return 'lost'
    begun()
    const decoder = new TextDecoder()
    const reader = answer.body.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer)
      timer = setTimeout(() => quiet.abort(), QUIET_MS)
      take(decoder.decode(part.value, { stream: true }))
    }
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** The server's own words, where it has said any. */
async function refusalIn(answer: Response): Promise<Outcome> {
  const body = (await answer.json().catch(() => ({}))) as { error?: unknown }
  return { status: answer.status, sentence: typeof body.error === 'string' ? body.error : null }
}

/** Whether somebody had a reason to go on before the time was over. */
const nudgedWithin = (ms: number, signal: AbortSignal, nudges: EventTarget) =>
  new Promise<boolean>((done) => {
    const finish = (isNudged: boolean) => {
      clearTimeout(timer)
      nudges.removeEventListener('now', now)
      signal.removeEventListener('abort', stop)
      done(isNudged)
    }
    const now = () => finish(true)
    const stop = () => finish(false)
    const timer = setTimeout(stop, ms)
    nudges.addEventListener('now', now)
    signal.addEventListener('abort', stop)
  })
