import { useEffect } from 'react'
import { isKeyTaken } from '../ui/key-taken.ts'

/** `j` and `k` move through the rows of a page, Enter opens what has the focus. */
export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const by = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (by === 0 || isKeyTaken(event)) return
      const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
      const at = rows.indexOf(document.activeElement as HTMLElement)
      const next = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]
      next?.focus()
      next?.scrollIntoView({ block: 'nearest' })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
