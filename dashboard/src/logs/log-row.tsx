import { memo, type ReactNode } from 'react'
import type { Span } from './worker/ansi.ts'
import type { Row } from './worker/log-book.ts'

export type RowLook = {
  /** Its match is the one that was gone to. */
  isHere: boolean
  isLinked: boolean
  /** Its number is the one that Tab leads to; arrows lead to the others. */
  isStop: boolean
  /** Lines that have no number of their own have their time instead. */
  isNumbered: boolean
  hasTimes: boolean
  hasServices: boolean
}
type Props = RowLook & { row: Row; onLink(seq: number): void }

const LEVELS = {
  plain: 'bg-sunken hover:bg-hover',
  warn: 'bg-ask-tint shadow-[inset_2px_0_var(--ask-mark)]',
  error: 'bg-bad-tint shadow-[inset_2px_0_var(--bad-mark)]',
}
const LINKED = 'bg-run-tint shadow-[inset_2px_0_var(--run-mark)]'

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

export const LogRow = memo(function LogRow(props: Props) {
  const { row, isHere, isLinked, isStop, isNumbered, hasTimes, hasServices, onLink } = props
  const { seq, at, service, level, isGap, text, spans, marks } = row
  return (
    <div
      data-seq={seq}
      className={`flex h-5 items-baseline gap-3 pr-4 leading-5 whitespace-pre ${isLinked ? LINKED : LEVELS[level]}`}
    >
      {isNumbered && (
        <button
          type="button"
          tabIndex={isStop ? 0 : -1}
          onClick={() => onLink(seq)}
          aria-label={`Link to line ${seq}`}
          className="sticky left-0 z-1 w-16 shrink-0 bg-inherit pl-3 text-right text-faint outline-offset-[-2px] select-none hover:text-ink num"
        >
          {seq}
        </button>
      )}
      {(hasTimes || !isNumbered) && (
        <span className={`shrink-0 text-faint select-none num ${isNumbered ? '' : 'sticky left-0 bg-inherit pl-3'}`}>
          {Number.isNaN(at) ? '' : clock.format(at)}
        </span>
      )}
      {hasServices && <span className="w-20 shrink-0 truncate text-soft select-none max-sm:hidden">{service}</span>}
      <span data-text className={isGap ? 'text-soft italic' : 'text-ink'}>
        {painted(text, spans, marks, isHere)}
      </span>
    </div>
  )
})

const COLOURS = [
  'text-faint',
  'text-bad',
  'text-ok',
  'text-ask',
  'text-run',
  'text-(--ansi-magenta)',
  'text-(--ansi-cyan)',
  'text-soft',
]

/** Colours of the program, marks of the search; text stays text. */
function painted(text: string, spans: Span[] | null, marks: [number, number][] | null, isHere: boolean): ReactNode {
  if (!spans && !marks) return text
  const cuts = new Set<number>([0, text.length])
  for (const { end } of spans ?? []) cuts.add(end)
  for (const [from, to] of marks ?? []) cuts.add(from).add(to)
  const places = [...cuts].sort((a, b) => a - b)
  return places.slice(0, -1).map((from, at) => {
    const to = places[at + 1] ?? text.length
    const piece = text.slice(from, to)
    if (marks?.some(([start, end]) => start <= from && to <= end))
      return (
        <mark key={from} className={`rounded-xs text-ink ${isHere ? 'bg-(--find-now)' : 'bg-(--find)'}`}>
          {piece}
        </mark>
      )
    const span = spans?.find(({ end }) => end > from)
    return (
      <span key={from} className={span ? lookOf(span) : undefined}>
        {piece}
      </span>
    )
  })
}

const lookOf = ({ colour, bold }: Span) =>
  `${colour >= 0 ? COLOURS[colour % 8] : ''} ${bold ? 'font-semibold' : ''}`.trim() || undefined
