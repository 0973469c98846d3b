import { createHash } from 'node:crypto'
import { networkOf } from '../../core/networks/network-of.ts'
import { Refusal } from '../../errors.ts'

/**
 * The limit in front of routes that are not limited for those who are known: whoever shows a credential there that is
 * not found good is counted by address, and so is whoever is still being looked up. A credential that was good lately
 * is not kept out by strangers who come from the same address; that it still is good is asked all the same.
 */
export type Strangers = {
  /** Counts whoever is still looked at; what is returned says how that ended. */
  begin(who: { address: string; credential: string }): (end: 'good' | 'bad' | 'neither') => void
  admit<T>(who: { address: string; credential: string }, identify: () => Promise<T>): Promise<T>
}

const WINDOW_MS = 60_000
const GOOD_MS = 10 * 60_000
const MOST_ADDRESSES = 20_000
const MOST_GOOD = 50_000

type Seen = { pending: number; failed: number; since: number }

export function strangers(most: number): Strangers {
  const seen = new Map<string, Seen>()
  const good = new Map<string, number>()
  const stateOf = (key: string): Seen => {
    const now = Date.now()
    const known = seen.get(key) ?? { pending: 0, failed: 0, since: now }
    if (now - known.since > WINDOW_MS) Object.assign(known, { failed: 0, since: now })
    seen.delete(key)
    seen.set(key, known)
    forgetOldest(seen, MOST_ADDRESSES)
    return known
  }
  return {
    begin({ address, credential }) {
      const name = createHash('sha256').update(credential).digest('base64')
      const state = stateOf(networkOf(address))
      const isKnown = (good.get(name) ?? 0) > Date.now()
      if (!isKnown && state.failed + state.pending >= most) throw tooMany(most, state)
      state.pending++
      return (end) => {
        state.pending--
        if (end === 'bad') state.failed++
        good.delete(name)
        if (end !== 'good') return
        good.set(name, Date.now() + GOOD_MS)
        forgetOldest(good, MOST_GOOD)
      }
    },
    async admit(who, identify) {
      const end = this.begin(who)
      try {
        const found = await identify()
        end('good')
        return found
      } catch (error) {
        end(error instanceof Refusal && error.code.startsWith('credentials_') ? 'bad' : 'neither')
        throw error
      }
    },
  }
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  if (map.size <= most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

function tooMany(most: number, { since }: Seen): Refusal {
  const seconds = Math.max(1, Math.ceil((since + WINDOW_MS - Date.now()) / 1000))
  return new Refusal('rate_limited', `More than ${most} requests in a minute from this address.`, {
    retryAfter: seconds,
    hint: `Wait ${seconds} seconds.`,
  })
}
