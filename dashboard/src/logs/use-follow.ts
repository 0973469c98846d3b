import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Log } from './open-log.ts'
import { useLog } from './use-log.ts'
import { ROW_PX } from './use-row-window.ts'

const NEAR_END_PX = 30
/** So long after a window got another size, it is not taken for scrolling that its log is elsewhere. */
const RESIZED_MS = 300

/** Stays at the end while lines come, until someone scrolls up; at the end again, it stays there again. `goTo` leaves it. */
export function useFollow(box: RefObject<HTMLElement | null>, log: Log, begin: boolean) {
  const size = useLog(log, (state) => state.size)
  const [isFollowing, setFollowing] = useState(begin)
  const latest = useRef(isFollowing)
  latest.current = isFollowing
  const lastTop = useRef(0)
  const lastHeight = useRef(0)
  /** The place that was gone to and where the box was scrolled to for it, until somebody scrolls away from there. */
  const held = useRef<Held | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const resizes = watchResizes()
    const stay = () => {
      if (held.current) held.current = scrolledTo(element, held.current.place)
      else if (latest.current) element.scrollTop = element.scrollHeight
      lastTop.current = element.scrollTop
    }
    const look = () => {
      // The box has another height: nobody scrolled, and the observer, which comes after this, puts it right.
      if (element.clientHeight !== lastHeight.current) return
      // Or it had one for less than a frame, of which the observer hears nothing.
      if (resizes.isJustResized()) return stay()
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
      if (element.scrollTop < lastTop.current - 1 && !isAtEnd) setFollowing(false)
      else if (isAtEnd && element.scrollTop > lastTop.current) setFollowing(true)
      lastTop.current = element.scrollTop
      if (element.scrollTop !== held.current?.top) held.current = null
    }
    // What comes late above the log takes room from it: the end that is followed, and a line that was gone to, stay in sight.
    const resized = new ResizeObserver(() => {
      lastHeight.current = element.clientHeight
      stay()
    })
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      resizes.leave()
      element.removeEventListener('scroll', look)
    }
  }, [box])
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line moves the end
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    // Lines behind it may come after it was gone to: only now there is room to scroll so far.
    if (held.current?.isShort) held.current = scrolledTo(element, held.current.place)
    if (!isFollowing) return
    held.current = null
    element.scrollTop = element.scrollHeight
    lastTop.current = element.scrollTop
  }, [isFollowing, size, box])
  const goTo = useCallback(
    (place: number) => {
      setFollowing(false)
      // Also where the end is near: nobody has scrolled there.
      lastTop.current = Number.POSITIVE_INFINITY
      if (box.current) held.current = scrolledTo(box.current, place)
    },
    [box],
  )
  return { isFollowing, setFollowing, goTo }
}

function watchResizes() {
  let resizedAt = Number.NEGATIVE_INFINITY
  const note = () => {
    resizedAt = performance.now()
  }
  addEventListener('resize', note)
  return {
    isJustResized: () => performance.now() - resizedAt < RESIZED_MS,
    leave: () => removeEventListener('resize', note),
  }
}

type Held = { place: number; top: number; isShort: boolean }

/** Scrolls to a row in the middle of the box, as far as that goes. */
function scrolledTo(box: HTMLElement, place: number): Held {
  const wanted = Math.max(0, Math.round(place * ROW_PX - box.clientHeight / 2))
  box.scrollTop = wanted
  return { place, top: box.scrollTop, isShort: box.scrollTop < wanted }
}
