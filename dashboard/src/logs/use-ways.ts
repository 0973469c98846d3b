import { type RefObject, useCallback, useRef, useState } from 'react'
import type { Log } from './open-log.ts'
import { ROW_PX } from './use-row-window.ts'
import type { Level } from './worker/level.ts'

type Props = {
  log: Log
  box: RefObject<HTMLElement | null>
  goTo(place: number): void
  /** Makes a line part of the address; null where lines have no number. */
  link: ((seq: number) => void) | null
}

const NOWHERE = { n: 0, place: -1 }

/** Ways through a log: to the next of what was found, to the next error. */
export function useWays({ log, box, goTo, link }: Props) {
  const [at, setAt] = useState(NOWHERE)
  // Where the last press led, also before it is drawn: the next one goes on from there, however soon it comes.
  const last = useRef({ match: NOWHERE, place: -1 })
  const presses = useRef(Promise.resolve())
  const forget = useCallback(() => {
    last.current = { match: NOWHERE, place: -1 }
    setAt(NOWHERE)
  }, [])
  const inTurn = (go: () => Promise<void>) => {
    presses.current = presses.current.then(go)
  }
  const topPlace = () => Math.floor((box.current?.scrollTop ?? 0) / ROW_PX)
  const goToMatch = (by: 1 | -1) =>
    inTurn(async () => {
      const { matches } = log.state()
      if (matches === 0) return
      const { match } = last.current
      const n = match.place < 0 ? await log.ask({ ask: 'matchAfter', place: topPlace() }) : match.n + by
      const place = await log.ask({ ask: 'match', n })
      if (place < 0) return
      last.current.match = { n: ((n % matches) + matches) % matches, place }
      setAt(last.current.match)
      goTo(place)
    })
  const goToNext = (level: Level) =>
    inTurn(async () => {
      const { place: before } = last.current
      const place = await log.ask({ ask: 'next', level, place: before < 0 ? topPlace() - 1 : before })
      if (place < 0) return
      last.current.place = place
      goTo(place)
      // Who went there by a key has an address to share as well.
      if (link) link(await log.ask({ ask: 'seqAt', place }))
    })
  return { at, goToMatch, goToNext, forget }
}
