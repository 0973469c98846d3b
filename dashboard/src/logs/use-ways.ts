import { type RefObject, useCallback, useState } from 'react'
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
  const [lastPlace, setLastPlace] = useState(-1)
  const forget = useCallback(() => {
    setAt(NOWHERE)
    setLastPlace(-1)
  }, [])
  const topPlace = () => Math.floor((box.current?.scrollTop ?? 0) / ROW_PX)
  const goToMatch = async (by: 1 | -1) => {
    const { matches } = log.state()
    if (matches === 0) return
    const n = at.place < 0 ? await log.ask({ ask: 'matchAfter', place: topPlace() }) : at.n + by
    const place = await log.ask({ ask: 'match', n })
    if (place < 0) return
    setAt({ n: ((n % matches) + matches) % matches, place })
    goTo(place)
  }
  const goToNext = async (level: Level) => {
    const place = await log.ask({ ask: 'next', level, place: lastPlace < 0 ? topPlace() - 1 : lastPlace })
    if (place < 0) return
    setLastPlace(place)
    goTo(place)
    // Who went there by a key has an address to share as well.
    if (link) link(await log.ask({ ask: 'seqAt', place }))
  }
  return { at, goToMatch, goToNext, forget }
}
