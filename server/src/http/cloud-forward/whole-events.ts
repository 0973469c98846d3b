const END = Buffer.from('\n\n')
/** An event is never that long; a stream without an end of one is none. */
const MOST_BYTES = 16 * 1024 * 1024

/**
 * Cuts bytes between two events: what is ours to say to the reader, such as that the line is alive, never stands within one. Half an
 * event at the end is left out: whoever comes back asks for it again.
 */
export async function* wholeEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    rest.push(chunk)
    size += chunk.length
    // The end may lie across two pieces.
    const tail = rest.length === 1 ? chunk : Buffer.concat([(rest.at(-2) as Buffer).subarray(-1), chunk])
    if (!tail.includes(END)) {
      if (size > MOST_BYTES) throw new Error('an event without an end')
      continue
    }
    const all = Buffer.concat(rest)
    const cut = all.lastIndexOf(END) + END.length
    yield all.subarray(0, cut)
    rest = cut < all.length ? [all.subarray(cut)] : []
    size = all.length - cut
  }
}
