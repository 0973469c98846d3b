import { expect, test } from 'vitest'
import { LogBook, type NewLine, type Want } from './log-book.ts'

const EVERYTHING: Want = { steps: null, service: null, find: '', only: false }
const line = (seq: number, text: string, more: Partial<NewLine> = {}): NewLine => ({
  seq,
  at: seq,
  step: 'build',
  service: 'web',
  isStderr: false,
  line: text,
  ...more,
})
const texts = (book: LogBook) => book.rows(0, book.size).map(({ text }) => text)

function bookOf(...lines: NewLine[]) {
  const book = new LogBook()
  for (const one of lines) book.append(one)
  const want = (change: Partial<Want>) => {
    book.want({ ...EVERYTHING, ...change })
    while (!book.advance(0));
    return texts(book)
  }
  return { book, want }
}

test('a line that comes twice is kept once', () => {
  const { book } = bookOf(line(1, 'a'), line(3, 'b'))
  expect([book.append(line(3, 'b')), book.append(line(2, 'late')), book.append(line(4, 'c'))]).toEqual([
    false,
    false,
    true,
  ])
  expect(texts(book)).toEqual(['a', 'b', 'c'])
  expect(book.lastSeq).toBe(4)
})

test('a filter shows the lines of its step and service, whatever comes later', () => {
  const { book, want } = bookOf(
    line(1, 'source', { step: 'source', service: null }),
    line(2, 'web 1'),
    line(3, 'api 1', { service: 'api' }),
  )
  expect(want({ steps: { are: ['build'] }, service: 'web' })).toEqual(['web 1'])
  book.append(line(4, 'web 2'))
  book.append(line(5, 'web 3', { step: 'rollout' }))
  book.advance(Number.POSITIVE_INFINITY)
  expect(texts(book)).toEqual(['web 1', 'web 2'])
  expect(want({ steps: { areNot: ['source'] }, service: null })).toEqual(['web 1', 'api 1', 'web 2', 'web 3'])
  expect(book.services).toEqual(['web', 'api'])
})

test('what is found is counted, gone through around, and marked; only it is shown where that is wanted', () => {
  const { book, want } = bookOf(line(10, 'one gift'), line(20, 'two'), line(30, 'three Gift'), line(40, 'four'))
  expect(want({ find: 'gift' })).toHaveLength(4)
  expect([book.matches, book.match(0), book.match(1), book.match(2), book.match(-1)]).toEqual([2, 0, 2, 0, 2])
  expect([book.matchAfter(1), book.matchAfter(3)]).toEqual([1, 0])
  expect(book.rows(2, 3)[0]?.marks).toEqual([[6, 10]])
  expect(want({ find: 'gift', only: true })).toEqual(['one gift', 'three Gift'])
  expect([book.matches, book.match(1)]).toEqual([2, 1])
})

test('a search that takes long goes on later, and can be left in the middle', () => {
  const book = new LogBook()
  for (let n = 1; n <= 5000; n++) book.append(line(n, `row ${n}`))
  book.want({ ...EVERYTHING, find: 'row' })
  expect(book.advance(0)).toBe(false)
  expect(book.matches).toBeLessThan(5000)
  while (!book.advance(0));
  expect(book.matches).toBe(5000)
})

test('a line has a place by its number, and the next one where it is not in view', () => {
  const { book, want } = bookOf(line(10, 'a'), line(20, 'b', { service: 'api' }), line(30, 'c'))
  expect([book.placeOf(20), book.placeOf(21), book.seqAt(1)]).toEqual([1, 2, 20])
  want({ service: 'web' })
  expect([book.placeOf(20), book.seqAt(1)]).toEqual([1, 30])
})

test('errors are gone to one after the other, and then from the start', () => {
  const { book } = bookOf(line(1, 'error: a'), line(2, 'fine'), line(3, 'error: b'), line(4, 'warning: c'))
  expect(book.counts).toEqual({ warn: 1, error: 2 })
  expect([book.next('error', -1), book.next('error', 0), book.next('error', 2), book.next('warn', 2)]).toEqual([
    0, 2, 0, 3,
  ])
  expect(new LogBook().next('error', 0)).toBe(-1)
})

test('a gap is a row of its own, in every view and no level', () => {
  const { book, want } = bookOf(
    line(1, 'Lines 1 to 9 are no longer kept. error', { isGap: true, step: null, service: null }),
  )
  book.append(line(10, 'a'))
  expect(want({ service: 'web' })).toHaveLength(2)
  expect(book.rows(0, 1)[0]).toMatchObject({ isGap: true, level: 'plain' })
  expect(book.counts.error).toBe(0)
})

test('lines between two numbers are had as text, and those around one', () => {
  const { book, want } = bookOf(...Array.from({ length: 50 }, (_, n) => line(n + 1, `row ${n + 1}`)))
  expect(book.text(3, 5)).toBe('row 3\nrow 4\nrow 5')
  expect(book.around(25, 4)).toBe('row 23\nrow 24\nrow 25\nrow 26')
  want({ find: '0', only: true })
  expect(book.text(0, 30)).toBe('row 10\nrow 20\nrow 30')
})

test('a log without an end lets go of its oldest lines, and says how many', () => {
  const book = new LogBook()
  for (let n = 1; n <= 400_001; n++) book.append(line(n, n === 1 ? 'error: first' : 'x'))
  book.advance(Number.POSITIVE_INFINITY)
  expect([book.letGo, book.lines, book.seqAt(0), book.counts.error]).toEqual([100_000, 300_001, 100_001, 0])
})
