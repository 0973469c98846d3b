import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/clock.ts'
import { ageInWords, durationInWords } from './in-words.ts'

const listeners = new Set<() => void>()
let now = serverNow()
let timer: ReturnType<typeof setInterval> | undefined

function listen(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = serverNow()
    for (const tell of listeners) tell()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** One clock for the whole page, and it is the server's. */
export const useNow = () => useSyncExternalStore(listen, () => now)

export function Age({ at }: { at: string }) {
  const age = ageInWords(useNow() - Date.parse(at))
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="num whitespace-nowrap">
      {age}
    </time>
  )
}

/** How long it took, or has taken so far. */
export function Elapsed({ from, to }: { from: string; to?: string | null | undefined }) {
  return to ? <Took ms={Date.parse(to) - Date.parse(from)} /> : <Running from={from} />
}

const Took = ({ ms }: { ms: number }) => <span className="num whitespace-nowrap">{durationInWords(ms)}</span>

/** Whole seconds while it counts: tenths that jump by ten are noise. */
function Running({ from }: { from: string }) {
  const ms = useNow() - Date.parse(from)
  return <Took ms={ms < 1000 ? 1000 : Math.max(1, Math.floor(ms / 1000)) * 1000} />
}
