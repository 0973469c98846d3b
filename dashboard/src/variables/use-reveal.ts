import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { keyOf } from './variable.ts'

/** Long enough to read and copy one; then they are gone from the page, so that nobody else reads them there. */
const SHOWN_MS = 120_000

export type Revealed = Map<string, string>

/** Values are held by this page alone, never by the cache of questions, and not for long. */
export function useReveal(projectId: string) {
  const [values, setValues] = useState<Revealed | null>(null)
  const ask = useMutation({
    mutationFn: () => api.variables.reveal({ params: { id: projectId } }),
    onSuccess: ({ variables }) => setValues(new Map(variables.map((one) => [keyOf(one), one.value]))),
    gcTime: 0,
  })
  useEffect(() => {
    if (!values) return
    const timer = setTimeout(() => setValues(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [values])
  return { values, ask, hide: () => setValues(null) }
}
