import { useEffect, useRef } from 'react'
import { isKeyTaken } from '../ui/key-taken.ts'

type Keys = { find(): void; match(by: 1 | -1): void; error(): void; end(): void }

/** `/` finds, n and N go through what was found, `e` goes to the next error, End follows. */
export function useLogKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isKeyTaken(event)) return
      const { find, match, error, end } = latest.current
      const acts: Record<string, () => void> = { '/': find, e: error, End: end, n: () => match(1) }
      const act = event.key === 'N' ? () => match(-1) : acts[event.key]
      if (!act) return
      // The shell's own `/` searches everywhere: here it is the log.
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [])
}
