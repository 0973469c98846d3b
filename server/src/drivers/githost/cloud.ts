import { type GitHost, gitHostFailure } from './githost.ts'
import { guardedFetch, type TransportOptions } from './transport.ts'

type Options = Omit<TransportOptions, 'origins'> & { cloudUrl: string | null }

/** The hosted cloud has an app of its own and resolves the addresses to connect with. */
export function cloudBroker({ cloudUrl, ...options }: Options): GitHost['cloudUrl'] {
  return async (asked, signal) => {
    const cloud = new URL(cloudUrl ?? 'https://cloud.invalid')
    const fetch = guardedFetch({ ...options, origins: [cloud.origin], deadlineMs: 5000 })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      signal,
    }
    const answer = await fetch(new URL('/api/githost/broker', cloud), init)
    const { url } = answer.ok ? ((await answer.json()) as { url?: unknown }) : {}
    const to = typeof url === 'string' ? URL.parse(url) : null
    // Whatever it says, a browser is sent to the cloud and nowhere else.
    if (to === null || to.origin !== cloud.origin) throw gitHostFailure('unreachable', 'The cloud gave no address.')
    return to.href
  }
}
