import { ApiError, createClient } from '@slipway/contract/client'
import { noteServerTime } from './clock.ts'

/** One origin, so the session cookie goes along by itself; the browser says where a write comes from, which the server asks for. */
export const api = createClient({
  url: location.origin,
  fetch: async (url, init) => {
    const answer = await fetch(url, init)
    noteServerTime(answer.headers.get('date'))
    return answer
  },
})

/** The server said no, in its own words; anything else is silence. */
export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError

/** What the server said, or that it said nothing. */
export const wordsOf = (error: unknown): { sentence: string; hint: string | null; requestId: string | null } =>
  isRefusal(error)
    ? {
        // Of a cloud that is away, `error` is a code and the sentence stands beside it.
        sentence: error.body.message ?? error.body.error,
        hint: error.body.hint ?? null,
        requestId: error.body.requestId || null,
      }
    : {
        sentence: 'The server does not answer.',
        hint: 'What runs is not affected by this. Look at the connection, then try again.',
        requestId: null,
      }
