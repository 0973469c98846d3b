import { useEffect, useRef } from 'react'
import type { Log } from './open-log.ts'
import { useConnection, useLog } from './use-log.ts'

/** A linked line is gone to once, as soon as it has been read. */
export function useLineLink(log: Log, line: number | null, goTo: (place: number) => void): void {
  const gone = useRef<number | null>(null)
  const { state } = useConnection(log)
  // Of one that is not there, the next; after all has been read, the last.
  const isHere = useLog(log, ({ lastSeq, lines }) => lines > 0 && line !== null && lastSeq >= line) || state === 'ended'
  useEffect(() => {
    if (line === null) gone.current = null
    if (line === null || !isHere || gone.current === line) return
    gone.current = line
    void log.ask({ ask: 'placeOf', seq: line }).then(goTo)
  }, [log, line, isHere, goTo])
}
