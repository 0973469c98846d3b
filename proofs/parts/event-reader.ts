export type ReadEvent = { seq: number; type: string; data: Record<string, unknown> }

/** Reads a deployment's stream to its end, as EventSource would. */
export async function readStream(at: string, token: string, id: string, since = 0): Promise<ReadEvent[]> {
  const answer = await fetch(`${at}/api/deployments/${id}/stream?since=${since}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: AbortSignal.timeout(300_000),
  })
  if (answer.status === 204 || answer.body === null) return []
  if (!answer.ok) throw new Error(`the stream answered ${answer.status}: ${await answer.text()}`)
  const events: ReadEvent[] = []
  let rest = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    events.push(...blocks.flatMap(parsed))
  }
  return events
}

/** Of one block of a stream: one event, or none where it is a comment. */
export function parsed(block: string): ReadEvent[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const [id, type, data] = [field('id'), field('event'), field('data')]
  return id === undefined || type === undefined ? [] : [{ seq: Number(id), type, data: JSON.parse(data ?? '{}') }]
}

/** The first number that is not where it belongs. */
export const firstGap = (events: ReadEvent[], since = 0): number | undefined =>
  events.find((event, index) => event.seq !== since + index + 1)?.seq
