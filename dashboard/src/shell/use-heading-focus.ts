import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/**
 * After navigation the heading has the focus: keys go on from there, and screen readers say where one is. Not on the first page, and not
 * behind a dialog that the address has opened: that one has the focus itself.
 */
export function useHeadingFocus(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || document.querySelector('[role=dialog]')) return
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
      }),
    [router],
  )
}
