import { useSyncExternalStore } from 'react'

let said = ''
const listeners = new Set<() => void>()

/** For those who do not see it: something happened that nobody asked about just now. */
export function announce(text: string): void {
  // The same words twice would be no change, and not read out.
  said = said === text ? `${text} ` : text
  for (const tell of listeners) tell()
}

/** The one polite region of a page. */
export function LiveRegion() {
  const text = useSyncExternalStore(listen, () => said)
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {text}
    </div>
  )
}

function listen(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
