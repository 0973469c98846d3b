import { useEffect, useRef } from 'react'
import type { Log } from './open-log.ts'
import { useConnection, useLog } from './use-log.ts'

/**
 * A linked line is gone to once, as soon as it has been read. Where it is depends on the filter: an answer that comes while another
 * filter is on its way would lead to a place that is not drawn yet, and is asked for again when that one is here.
 */
export function useLineLink(log: Log, line: number | null, goTo: (place: number) => void): void {
  const gone = useRef<number | null>(null)
  const { state } = useConnection(log)
  // Of one that is not there, the next; after all has been read, the last.
  const isHere = useLog(log, ({ lastSeq, lines }) => lines > 0 && line !== null && lastSeq >= line) || state === 'ended'
  const version = useLog(log, (state) => state.version)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another filter it is somewhere else
  useEffect(() => {
    if (line === null) gone.current = null
    if (line === null || !isHere || gone.current === line || !log.isCurrent()) return
    let isOver = false
    void log.ask({ ask: 'placeOf', seq: line }).then((place) => {
      if (isOver || !log.isCurrent()) return
      gone.current = line
      goTo(place)
    })
    return () => {
      isOver = true
    }
  }, [log, line, isHere, version, goTo])
}
