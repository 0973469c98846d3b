import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Log } from './open-log.ts'
import { useLog } from './use-log.ts'
import { ROW_PX } from './use-row-window.ts'

const NEAR_END_PX = 30

/** Stays at the end while lines come, until someone scrolls up; at the end again, it stays there again. `goTo` leaves it. */
export function useFollow(box: RefObject<HTMLElement | null>, log: Log, begin: boolean) {
  const size = useLog(log, (state) => state.size)
  const [isFollowing, setFollowing] = useState(begin)
  const latest = useRef(isFollowing)
  latest.current = isFollowing
  const lastTop = useRef(0)
  const lastHeight = useRef(0)
  /** The place that was gone to, until somebody scrolls away from it. */
  const held = useRef<number | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => {
      // The box has another height: nobody scrolled, and the observer, which comes after this, puts it right.
      if (element.clientHeight !== lastHeight.current) return
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
      if (element.scrollTop < lastTop.current - 1 && !isAtEnd) setFollowing(false)
      else if (isAtEnd && element.scrollTop > lastTop.current) setFollowing(true)
      lastTop.current = element.scrollTop
      if (held.current !== null && element.scrollTop !== topFor(element, held.current)) held.current = null
    }
    // What comes late above the log takes room from it: the end that is followed, and a line that was gone to, stay in sight.
    const resized = new ResizeObserver(() => {
      lastHeight.current = element.clientHeight
      if (held.current !== null) element.scrollTop = topFor(element, held.current)
      else if (latest.current) element.scrollTop = element.scrollHeight
      lastTop.current = element.scrollTop
    })
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box])
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line moves the end
  useLayoutEffect(() => {
    const element = box.current
    if (!isFollowing || !element) return
    element.scrollTop = element.scrollHeight
    lastTop.current = element.scrollTop
  }, [isFollowing, size, box])
  const goTo = useCallback(
    (place: number) => {
      setFollowing(false)
      // Also where the end is near: nobody has scrolled there.
      lastTop.current = Number.POSITIVE_INFINITY
      held.current = place
      if (box.current) box.current.scrollTop = topFor(box.current, place)
    },
    [box],
  )
  return { isFollowing, setFollowing, goTo }
}

/** Where the box is scrolled to for a row in its middle, as far as that goes. */
function topFor({ clientHeight, scrollHeight }: HTMLElement, place: number): number {
  const wanted = Math.round(place * ROW_PX - clientHeight / 2)
  return Math.max(0, Math.min(wanted, scrollHeight - clientHeight))
}
