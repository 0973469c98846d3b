import type { Notifications } from '../../db/notifications.ts'

type Minted = { token: string; expiresAt: Date }

/** Installation tokens, in memory only: nothing of them is ever stored. */
export type InstallationTokens = { take(key: string, mint: () => Promise<Minted>): Promise<string>; drop(): void }

/** What is said when links change, so that every process forgets its tokens. */
export const TOKENS_CHANGED = 'githost-tokens'
const EARLY_MS = 5 * 60_000
const MOST = 10_000

export function installationTokens(changes: Pick<Notifications, 'subscribe'>): InstallationTokens {
  const held = new Map<string, Promise<Minted>>()
  let listening = false
  const drop = () => held.clear()
  return {
    drop,
    /** Single flight: those who come while one is made wait for the same. */
    async take(key, mint) {
      if (!listening) changes.subscribe(TOKENS_CHANGED, drop)
      listening = true
      const known = held.get(key)
      const minted = await known?.catch(() => undefined)
      if (minted && minted.expiresAt.getTime() > Date.now() + EARLY_MS) return minted.token
      if (held.get(key) !== known) return this.take(key, mint)
      const making = mint()
      held.set(key, making)
      making.catch(() => held.delete(key))
      if (held.size > MOST) held.delete(held.keys().next().value ?? '')
      return (await making).token
    },
  }
}
