import { expect, test } from 'vitest'
import { eventCutter, rowCutter, type StreamEvent } from './event-reader.ts'

const STREAM = 'id: 1\nevent: log\ndata: {"line":"a"}\n\n: still here\n\nretry: 1000\n\nid: 2\nevent: end\ndata: {}\n\n'

test('events are the same however the text was cut on its way', () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const seen: StreamEvent[] = []
    const cut = eventCutter((event) => seen.push(event))
    for (let at = 0; at < STREAM.length; at += size) cut(STREAM.slice(at, at + size))
    expect(seen).toEqual([
      { id: '1', type: 'log', data: '{"line":"a"}' },
      { id: '2', type: 'end', data: '{}' },
    ])
  }
})

test('rows are the same however the text was cut, and one that is not whole is no row', () => {
  const text = '[1,"a\\nb"]\n[2,"c"]\n[3,"d'
  for (let size = 1; size <= text.length; size++) {
    const seen: unknown[] = []
    const cut = rowCutter((rows) => seen.push(...rows))
    for (let at = 0; at < text.length; at += size) cut(text.slice(at, at + size))
    expect(seen).toEqual([
      [1, 'a\nb'],
      [2, 'c'],
    ])
  }
})
