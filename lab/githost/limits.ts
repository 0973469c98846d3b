import { ApiError, type Headers } from './answer.ts'
import { type Actor, payerOf } from './credentials.ts'
import { coveredBy } from './host.ts'
import type { Host, Usage } from './model.ts'

export type Resource = 'core' | 'graphql'
const HOUR_SECONDS = 3600
const MOST_KEPT = 50_000
const epochSeconds = () => Math.floor(Date.now() / 1000)

/** As documented: 60 without a credential, 5,000 with one; an installation has more with its repositories, up to 12,500. */
function hourlyLimit(host: Host, actor: Actor): number {
  const base = host.settings.primaryLimit ?? 1e9
  if (actor.kind === 'anonymous') return Math.min(60, base)
  const installation = actor.kind === 'token' ? actor.token.installation : null
  if (!installation) return base
  if (installation.account.enterprise) return base * 3
  const above20 = (count: number) => (count > 20 ? count : 0)
  const extra = above20(coveredBy(host, installation).length) + above20(installation.account.members.size)
  return Math.min(base * 2.5, base + 50 * extra)
}

export function rateOf(host: Host, actor: Actor, resource: Resource = 'core') {
  const { hours } = host.usage
  const key = `${payerOf(actor)} ${resource}`
  const known = hours.get(key)
  const hour = known && known.reset > epochSeconds() ? known : { used: 0, reset: epochSeconds() + HOUR_SECONDS }
  hours.set(key, hour)
  const limit = hourlyLimit(host, actor)
  return { limit, used: hour.used, remaining: Math.max(0, limit - hour.used), reset: hour.reset }
}

export function charge(host: Host, actor: Actor, resource: Resource): void {
  const hour = host.usage.hours.get(`${payerOf(actor)} ${resource}`)
  if (hour) hour.used += 1
}

export function rateHeaders(host: Host, actor: Actor, resource: Resource): Headers {
  const rate = Object.entries(rateOf(host, actor, resource)).map(([name, value]) => [`x-ratelimit-${name}`, `${value}`])
  return { ...Object.fromEntries(rate), 'x-ratelimit-resource': resource }
}

const AGAIN_LATER = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
const secondary = (seconds: number) => new ApiError(403, AGAIN_LATER, {}, { 'retry-after': String(seconds) })

/** Refuses before anything is done. Points a minute and path: 1 to read, 5 to write, 900 in all; 80 writes; 100 at once. */
export function admit(host: Host, actor: Actor, call: { method: string; path: string; resource: Resource }): void {
  const { faults, settings, usage } = host
  if (faults.secondaryNext > 0) {
    faults.secondaryNext -= 1
    throw secondary(faults.retryAfterSeconds)
  }
  if (call.path === '/rate_limit') return
  if (rateOf(host, actor, call.resource).remaining <= 0)
    throw new ApiError(403, `API rate limit exceeded for ${payerOf(actor)}.`)
  if (!settings.secondaryLimits) return
  if (usage.underWay > 100) throw secondary(faults.retryAfterSeconds)
  const isWrite = call.method !== 'GET' && call.method !== 'HEAD' && call.resource === 'core'
  const points = spend(usage, `${payerOf(actor)} ${call.path}`, isWrite ? 5 : 1)
  const makesContent = isWrite && !call.path.endsWith('/access_tokens')
  const written = makesContent ? spend(usage, `${payerOf(actor)} writes`, 1) : 0
  if (points > 900 || written > 80) throw secondary(60 - (epochSeconds() % 60))
}

function spend({ minutes }: Usage, key: string, cost: number): number {
  const minute = Math.floor(Date.now() / 60_000)
  const known = minutes.get(key)
  const entry = known?.minute === minute ? known : { minute, spent: 0 }
  if (minutes.size > MOST_KEPT) minutes.clear()
  minutes.set(key, entry)
  entry.spent += cost
  return entry.spent
}
