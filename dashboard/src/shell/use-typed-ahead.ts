import { useEffect, useRef } from 'react'

export type TypedAhead = { take(): string }

/** What is typed from the key that opens the palette until its field is there, with code that may still be on its way: it goes into the field. */
export function useTypedAhead(isOpen: boolean): TypedAhead {
  const typed = useRef<string | null>(null)
  const ahead = useRef<TypedAhead>({
    take() {
      const text = typed.current ?? ''
      typed.current = null
      return text
    },
  })
  useEffect(() => {
    typed.current = isOpen ? '' : null
    if (!isOpen) return
    const press = (event: KeyboardEvent) => {
      const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
      if (typed.current === null || !isLetter) return
      typed.current += event.key
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', press, { capture: true })
    return () => removeEventListener('keydown', press, { capture: true })
  }, [isOpen])
  return ahead.current
}
