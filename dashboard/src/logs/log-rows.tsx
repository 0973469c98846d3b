import { type RefObject, useEffect } from 'react'
import { LogRow, type RowLook } from './log-row.tsx'
import type { Log } from './open-log.ts'
import { useWholeLog } from './use-log.ts'
import { useNumberKeys } from './use-number-keys.ts'
import { ROW_PX, useRowWindow } from './use-row-window.ts'

type Props = Omit<RowLook, 'isHere' | 'isLinked' | 'isStop'> & {
  log: Log
  box: RefObject<HTMLDivElement | null>
  line: number | null
  /** The place of the match that was gone to. */
  here: number
  isFollowing: boolean
  onLink(seq: number): void
}

/** Rows held beside those on screen: who scrolls does not see them arrive. Who follows needs none. */
const AHEAD = 120

export function LogRows({ log, box, line, here, isFollowing, onLink, ...look }: Props) {
  const { size, from, rows } = useWholeLog(log)
  const { first, last, top, bottom, height } = useRowWindow(box, size, isFollowing)
  const loaded = from + rows.length
  const linked = line === null ? -1 : rows.findIndex(({ seq }) => seq === line)
  const isLinkedInSight = linked >= 0 && from + linked >= top && from + linked < bottom
  // The row at the top may be cut: to be focused it would have to be scrolled to.
  const stop = isLinkedInSight ? from + linked : Math.min(top === 0 ? 0 : top + 1, size - 1)
  useNumberKeys(box)
  // Told once: the worker then sends the end by itself. Asked again at every line, the two would chase each other.
  const seen = last - first
  useEffect(() => {
    if (isFollowing) log.watch(0, Math.max(80, seen), true)
  }, [log, isFollowing, seen])
  useEffect(() => {
    if (isFollowing) return
    const isNearStart = first - from < AHEAD / 3 && from > 0
    const isNearEnd = loaded - last < AHEAD / 3 && loaded < size
    if (isNearStart || isNearEnd) log.watch(Math.max(0, first - AHEAD), last + AHEAD, false)
  }, [log, first, last, isFollowing, from, loaded, size])
  return (
    <div className="relative min-w-full" style={{ height }}>
      <div className="absolute top-0 left-0 w-max min-w-full" style={{ transform: `translateY(${first * ROW_PX}px)` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, index) => {
          const place = first + index
          const row = rows[place - from]
          // Who follows sees every row change: the same elements take the new text. Who scrolls sees rows move.
          const key = isFollowing ? index : place
          if (!row) return <div key={key} className="h-5" />
          const marks = { isHere: place === here, isLinked: row.seq === line, isStop: place === stop }
          return <LogRow key={key} row={row} {...look} {...marks} onLink={onLink} />
        })}
      </div>
    </div>
  )
}
