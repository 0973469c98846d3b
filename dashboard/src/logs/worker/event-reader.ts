export type StreamEvent = { id: string; type: string; data: string }

/**
 * Cuts server-sent events out of text as it comes. The browser's own reader makes an object, a task and a dispatch of
 * every event, and hides why a server said no; a log of a hundred thousand lines is read several times faster like this.
 */
export function eventCutter(take: (event: StreamEvent) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const all = rest + text
    let from = 0
    for (let end = all.indexOf('\n\n', from); end >= 0; end = all.indexOf('\n\n', from)) {
      const event = eventIn(all, from, end)
      if (event) take(event)
      from = end + 2
    }
    rest = all.slice(from)
  }
}

function eventIn(all: string, from: number, end: number): StreamEvent | null {
  const event: StreamEvent = { id: '', type: 'message', data: '' }
  for (let at = from; at < end; ) {
    const next = all.indexOf('\n', at)
    const stop = next < 0 || next > end ? end : next
    if (all.startsWith('data: ', at)) event.data = all.slice(at + 6, stop)
    else if (all.startsWith('id: ', at)) event.id = all.slice(at + 4, stop)
    else if (all.startsWith('event: ', at)) event.type = all.slice(at + 7, stop)
    at = stop + 1
  }
  // A beat is a comment, and has none.
  return event.data === '' ? null : event
}

/** Cuts rows of JSON, one a line: all that have come are parsed at once, which is twice as fast as one by one. */
export function rowCutter(take: (rows: unknown[]) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const end = text.lastIndexOf('\n')
    if (end < 0) {
      rest += text
      return
    }
    // Within JSON, no line break stands for itself.
    const whole = (rest + text.slice(0, end)).replaceAll('\n', ',')
    rest = text.slice(end + 1)
    if (whole !== '') take(JSON.parse(`[${whole}]`))
  }
}
