import { Dialog } from '@base-ui/react/dialog'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { Refused } from '../refused.tsx'

type Props = {
  title: string
  note?: ReactNode
  verb: string
  busy: boolean
  /** What no field can say. */
  error: unknown
  onSend(form: FormData): void
  onClose(): void
  children: ReactNode
}

/** A form over the page. It stays open, with all that was typed, until the server has taken it. */
export function FormDialog({ title, note, verb, busy, error, onSend, onClose, children }: Props) {
  // Looked at before there is a dialog: a field of it that takes the focus at once would be what the focus goes back to.
  const [opener] = useState(() => document.activeElement)
  const wayBack = () => (opener instanceof HTMLElement && opener.isConnected ? opener : true)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A portal of React: what bubbles here is no business of a form around the page.
    event.stopPropagation()
    if (!busy) onSend(new FormData(event.currentTarget))
  }
  return (
    // A click beside it must not throw away what somebody has typed.
    <Dialog.Root open disablePointerDismissal onOpenChange={(now) => !now && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--shade)" />
        <Dialog.Popup
          finalFocus={wayBack}
          className="thin-scroll fixed top-1/2 left-1/2 z-50 max-h-[92dvh] w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-5 shadow-pop outline-none"
        >
          <Dialog.Title className="text-base font-semibold text-balance">{title}</Dialog.Title>
          {note && <Dialog.Description className="mt-1 text-soft text-pretty">{note}</Dialog.Description>}
          <form onSubmit={submit} className="mt-4 space-y-4">
            {children}
            <Refused error={error} />
            <div className="flex flex-wrap justify-end gap-2 pt-1">
              <Dialog.Close render={<Button>Leave it</Button>} />
              <Button type="submit" look="primary" busy={busy}>
                {verb}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
