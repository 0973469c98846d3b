/** A server-sent event. */
export type SentEvent = { id: string; event: string; data: string }

/** One that is longer is none of ours. */
const MOST_CHARACTERS = 256 * 1024

/** Events as they come: those that came with one piece are handed on together. */
export async function* readEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<SentEvent[]> {
  const decoder = new TextDecoder()
  let left = ''
  for await (const chunk of chunks) {
    const blocks = (left + decoder.decode(chunk, { stream: true })).split('\n\n')
    left = blocks.pop() ?? ''
    if (left.length > MOST_CHARACTERS) throw new Error('an event of the cloud has no end')
    yield blocks.map(eventIn).filter(({ data }) => data !== '')
  }
}

function eventIn(block: string): SentEvent {
  const found = { id: '', event: 'message', data: '' }
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    if (name !== undefined) found[name as keyof SentEvent] = value
  }
  return found
}
