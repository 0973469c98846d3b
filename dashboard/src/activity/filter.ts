import type { AuditFilter } from '../api/platform.ts'

const MOST_LETTERS = 80

/** What the address says, as far as the API can ask for it. */
export function readActivity({ action, target, actor, since, until }: Record<string, unknown>): AuditFilter {
  return {
    action: textOf(action),
    target: textOf(target),
    actor: textOf(actor),
    since: dayOf(since),
    until: dayOf(until),
  }
}

const textOf = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value.slice(0, MOST_LETTERS) : undefined

/** `2026-02-31` is written like a day, and is none. */
function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^20\d\d-\d\d-\d\d$/.test(value)) return undefined
  const at = new Date(`${value}T00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value) ? value : undefined
}
