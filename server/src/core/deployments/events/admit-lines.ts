import { type LimitParts, mostOf } from '../../limits/most.ts'
import { takeLogBytes } from '../../limits/store.ts'
import { inWords, LIMITS } from '../../limits/table.ts'
import type { BaseParts } from '../../parts.ts'
import type { Admit } from './events.ts'
import type { NewEvent } from './events-store.ts'

/**
 * Leaves lines out where the organization has printed as much as it may within a day, and says so once where they begin to be missing.
 * Everything but lines is let through: a deployment is told to its end. One statement for each batch, and none without a limit.
 */
export async function admitLines(parts: Pick<BaseParts, 'db'> & LimitParts, orgId: string): Promise<Admit | undefined> {
  const most = await mostOf(parts, parts.db, orgId, 'logBytesPerDay')
  if (most === null) return undefined
  let told = false
  return async (events) => {
    const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0)
    if (bytes === 0) return events
    const { used, taken } = await takeLogBytes(parts.db, orgId, bytes, most)
    const first = events.find(isLine)
    const notice = taken || told ? undefined : first
    told = !taken
    if (taken) return events
    return events.flatMap((event) => (event === notice ? saying(event, used, most) : isLine(event) ? [] : event))
  }
}

const isLine = ({ type }: NewEvent) => type === 'log'

const bytesOf = (event: NewEvent) => (isLine(event) ? Buffer.byteLength(String(event.data.line ?? '')) : 0)

function saying(event: NewEvent, used: number, most: number): NewEvent {
  const { refusal, hint } = LIMITS.logBytesPerDay
  const words = refusal(inWords('logBytesPerDay', used), inWords('logBytesPerDay', most))
  return { ...event, data: { ...event.data, stream: 'stderr', line: `${words} ${hint}` } }
}
