import type { Ask, Happening, Question, Tell } from '../log-messages.ts'
import { LogBook } from './log-book.ts'
import { logReader } from './read-log.ts'

/** The page is told soon of a few lines, and less often of many: nobody reads thousands of them a second. */
const FEW = 100
const SOON_MS = 33
const LATER_MS = 100
/** A search goes on for so long at a time; in between it can be called off. */
const SLICE_MS = 40

const book = new LogBook()
const watched = { from: 0, to: 200, tail: false }
const nudges = new EventTarget()
let version = 0
let happenings: Happening[] = []
let toldLines = 0
let toldRows = ''
let isBusy = false
let timer: ReturnType<typeof setTimeout> | undefined
let read: ((signal: AbortSignal) => Promise<void>) | undefined
let reading: AbortController | undefined
/** There is nothing more to read. */
let isOver = false

const tell = (message: Tell) => postMessage(message)

function soon(): void {
  timer ??= setTimeout(flush, isBusy ? LATER_MS : SOON_MS)
}

function flush(): void {
  clearTimeout(timer)
  timer = undefined
  const isDone = book.advance(performance.now() + SLICE_MS)
  isBusy = book.lines - toldLines > FEW
  toldLines = book.lines
  if (happenings.length > 0) tell({ tell: 'happenings', happenings })
  happenings = []
  const count = watched.to - watched.from
  const from = Math.max(0, watched.tail ? book.size - count : Math.min(watched.from, book.size - 1))
  const { lines, size, matches, counts, lastSeq, letGo, services } = book
  const looked = `${version}/${letGo}/${from}/${Math.min(count, size - from)}`
  const rows = looked === toldRows ? null : book.rows(from, from + count)
  toldRows = looked
  const numbers = { version, lines, size, matches, lastSeq, letGo, from }
  tell({
    tell: 'state',
    state: { ...numbers, isSearching: !isDone, warnings: counts.warn, errors: counts.error, services, rows },
  })
  if (!isDone) timer = setTimeout(flush)
}

function goOn(): void {
  if (reading && !reading.signal.aborted) return void nudges.dispatchEvent(new Event('now'))
  reading = new AbortController()
  void read?.(reading.signal)
}

function open(source: Extract<Ask, { ask: 'open' }>['source']): void {
  read = logReader({
    source,
    book,
    changed: soon,
    happened: (happening) => happenings.push(happening),
    tell: (connection) => {
      // What was read before is there before it is said that it has ended.
      if (connection.state !== 'connecting') flush()
      isOver = connection.state === 'ended' || connection.state === 'refused'
      tell({ tell: 'connection', connection })
    },
    nudges,
  })
  goOn()
}

function answerTo(question: Question): number | string {
  switch (question.ask) {
    case 'match':
      return book.match(question.n)
    case 'matchAfter':
      return book.matchAfter(question.place)
    case 'placeOf':
      return book.placeOf(question.seq)
    case 'seqAt':
      return book.seqAt(question.place)
    case 'next':
      return book.next(question.level, question.place)
    case 'text':
      return book.text(question.from, question.to)
    case 'around':
      return book.around(question.seq, question.count)
    case 'ping':
      return 0
  }
}

addEventListener('message', ({ data }: MessageEvent<Ask>) => {
  if ('id' in data) return tell({ tell: 'answer', id: data.id, value: answerTo(data) })
  switch (data.ask) {
    case 'open':
      return open(data.source)
    case 'hold':
      if (isOver) return
      reading?.abort()
      return tell({ tell: 'connection', connection: { state: 'held' } })
    case 'go on':
      return goOn()
    case 'want':
      version = data.version
      book.want(data.want)
      return flush()
    case 'watch':
      Object.assign(watched, { from: data.from, to: data.to, tail: data.tail })
      return flush()
  }
})
