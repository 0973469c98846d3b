import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Log } from './open-log.ts'
import { useLog } from './use-log.ts'
import { ROW_PX } from './use-row-window.ts'

const NEAR_END_PX = 30

/** Stays at the end while lines come, until someone scrolls up; at the end again, it stays there again. `goTo` leaves it. */
export function useFollow(box: RefObject<HTMLElement | null>, log: Log, begin: boolean) {
  const size = useLog(log, (state) => state.size)
  const [isFollowing, setFollowing] = useState(begin)
  const lastTop = useRef(0)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
      if (element.scrollTop < lastTop.current - 1 && !isAtEnd) setFollowing(false)
      else if (isAtEnd && element.scrollTop > lastTop.current) setFollowing(true)
      lastTop.current = element.scrollTop
    }
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
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
      box.current?.scrollTo({ top: place * ROW_PX - box.current.clientHeight / 2 })
    },
    [box],
  )
  return { isFollowing, setFollowing, goTo }
}
