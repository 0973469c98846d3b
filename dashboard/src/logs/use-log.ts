import { useEffect, useState, useSyncExternalStore } from 'react'
import type { LogSource, LogState } from './log-messages.ts'
import { type Log, openLog } from './open-log.ts'

/** A part of how the log stands. What is picked must be a plain value: a part that is the same redraws nothing. */
export const useLog = <T extends string | number | boolean>(log: Log, pick: (state: LogState) => T): T =>
  useSyncExternalStore(log.listen, () => pick(log.state()))

export const useWholeLog = (log: Log): LogState => useSyncExternalStore(log.listen, log.state)
export const useConnection = (log: Log) => useSyncExternalStore(log.listen, log.connection)
export const useCalledOff = (log: Log) => useSyncExternalStore(log.listen, log.calledOff)

/** Open for as long as it is shown. `source` must stay the same object while it is the same log. */
export function useOpenLog(source: LogSource, opened?: (log: Log) => (() => void) | undefined): Log | null {
  const [log, setLog] = useState<Log | null>(null)
  useEffect(() => {
    const now = openLog(source)
    const undo = opened?.(now)
    setLog(now)
    return () => {
      undo?.()
      now.close()
    }
  }, [source, opened])
  return log
}
