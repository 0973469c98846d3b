import { useEffect } from 'react'

/**
 * Where what had the focus is taken from the page, such as a row that was removed, the heading gets it: the browser would give it to
 * nothing, and whoever works by keys would begin at the top of everything. The same after a dialog whose opener is gone by then.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const main = document.getElementById('main')
    if (!main) return
    let last: Element | null = null
    const note = () => {
      last = document.activeElement
    }
    const look = () => {
      if (document.activeElement !== document.body || last === null || last.isConnected) return
      last = null
      main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(look)
    observer.observe(main, { childList: true, subtree: true })
    // Beside the page lies what is over it. Closed, it gives the focus back to its opener, a moment later: that goes first.
    const layers = new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(look)))
    layers.observe(document.body, { childList: true })
    document.addEventListener('focusin', note)
    return () => {
      observer.disconnect()
      layers.disconnect()
      document.removeEventListener('focusin', note)
    }
  }, [])
}
