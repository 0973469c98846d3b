import { useEffect, useRef, useState } from 'react'

const SETTLED_MS = 300

/** What is typed counts at once; the address follows when the typing stops, because going to an address redraws the page. */
export function useTyped(address: string, say: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(address)
  const said = useRef(address)
  useEffect(() => {
    // Someone went back, or came by a link; what was said from here is no news.
    if (address !== said.current) setTyped(address)
    said.current = address
  }, [address])
  useEffect(() => {
    if (typed === said.current) return
    const timer = setTimeout(() => {
      said.current = typed
      say(typed)
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [typed, say])
  return [typed, setTyped]
}
