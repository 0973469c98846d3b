import type { AuditFilter } from '../api/platform.ts'

const MOST_LETTERS = 80

/** What the address says, as far as the API can ask for it. */
export function readActivity(search: Record<string, unknown>): AuditFilter {
  const text = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value.slice(0, MOST_LETTERS) : undefined
  return { action: text(search.action), target: text(search.target) }
}
