import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** One that closes because somebody went on, such as the palette, is still there for a moment. */
const OPEN_DIALOG = ':is([role=dialog],[role=alertdialog])[data-open]'

/**
 * After navigation the heading has the focus: keys go on from there, and screen readers say where one is. Not on the first page, and not
 * behind a dialog that the address has opened: that one has the focus itself.
 */
export function useHeadingFocus(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || document.querySelector(OPEN_DIALOG)) return
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
      }),
    [router],
  )
}
