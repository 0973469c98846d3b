import { type RefObject, useEffect, useState } from 'react'

export const ROW_PX = 20
const BESIDE = 12

/** From `first` to before `last` is drawn; from `top` to before `bottom` is in sight. */
type RowWindow = { first: number; last: number; top: number; bottom: number; height: number }

/** Which rows of equal height are on screen. Redraws when another row comes into sight, not at every pixel. */
export function useRowWindow(box: RefObject<HTMLElement | null>, count: number, isAtEnd: boolean): RowWindow {
  const [seen, setSeen] = useState({ first: 0, rows: 40 })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => {
      const first = Math.floor(element.scrollTop / ROW_PX)
      const rows = Math.ceil(element.clientHeight / ROW_PX) + 1
      setSeen((before) => (before.first === first && before.rows === rows ? before : { first, rows }))
    }
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box])
  // Who follows is at the end before the scrolling has told so: drawn once instead of twice.
  const top = Math.max(0, isAtEnd ? count - seen.rows : Math.min(seen.first, count - seen.rows))
  const bottom = top + seen.rows
  const last = Math.min(count, bottom + BESIDE)
  return { first: Math.max(0, top - BESIDE), last, top, bottom, height: count * ROW_PX }
}
