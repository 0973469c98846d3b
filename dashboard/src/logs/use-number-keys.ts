import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Roving tabindex: Tab leads to one number of those in sight, Up and Down to the others, so that a line is linked to without a mouse.
 * A number that is taken away while it has the focus gives it to the same one if that was drawn anew, else to the box.
 */
export function useNumberKeys(box: RefObject<HTMLElement | null>): void {
  const held = useRef<HTMLElement | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const press = (event: KeyboardEvent) => {
      const row = rowOf(event.target)
      if (!row || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      event.preventDefault()
      const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling
      next?.querySelector('button')?.focus()
    }
    const note = ({ target }: FocusEvent) => {
      held.current = rowOf(target)
    }
    element.addEventListener('keydown', press)
    document.addEventListener('focusin', note)
    return () => {
      element.removeEventListener('keydown', press)
      document.removeEventListener('focusin', note)
    }
  }, [box])
  useLayoutEffect(() => {
    const row = held.current
    if (!row || row.isConnected || document.activeElement !== document.body) return
    const again = box.current?.querySelector<HTMLElement>(`[data-seq="${row.dataset.seq}"] button`)
    ;(again ?? box.current)?.focus({ preventScroll: true })
  })
}

/** The row whose number it is. */
const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof HTMLButtonElement ? target.closest<HTMLElement>('[data-seq]') : null
