import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isKeyTaken } from '../ui/key-taken.ts'
import { PLACES } from './places.ts'

const SECOND_KEY_MS = 900

type Asked = { search(): void; help(): void }

/** ⌘K anywhere; `g` and a letter go to a place. Nothing is taken from someone who types or has a dialog open. */
export function useKeys({ search, help }: Asked): void {
  const navigate = useNavigate()
  const begun = useRef(0)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return search()
      }
      if (isKeyTaken(event)) return
      const place = performance.now() - begun.current < SECOND_KEY_MS && PLACES.find(({ key }) => key === event.key)
      begun.current = event.key === 'g' ? performance.now() : 0
      if (place) return void navigate({ to: place.to })
      if (event.key === '?') return help()
      if (event.key === '/') {
        event.preventDefault()
        search()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [navigate, search, help])
}
