import type { Instance } from '../instance/instance.ts'
import { eventsIn } from './events.ts'

type Line = { seq: number; line: string; service: string | null }

/** Lines of the log around an event, by the stream: it can begin anywhere. */
export async function linesAround(
  { api }: Instance,
  id: string,
  at: number,
  { before, after }: { before: number; after: number },
  signal: AbortSignal,
): Promise<Line[]> {
  const first = Math.max(0, at - before)
  const answer = await api.deployments.stream({
    params: { id },
    query: { since: Math.max(0, first - 1) },
    headers: { accept: 'text/event-stream' },
    signal,
  })
  const lines: Line[] = []
  if (answer.status === 204) return lines
  for await (const { name, id: number, data } of eventsIn(answer)) {
    const seq = Number(number)
    if (seq > at + after) break
    if (name === 'log') lines.push({ seq, line: String(data.line), service: (data.service as string | null) ?? null })
    if (seq === at + after || name === 'end') break
  }
  return lines
}
