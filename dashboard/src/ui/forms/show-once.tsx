import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { Caution } from '../tag.tsx'
import { Tick } from './tick.tsx'

type Props = { title: string; note: string; secret: string; what: string; caution?: string | null; onClose(): void }

/** What is shown this once and never again. It can be closed when somebody says that they have it, and not by accident before. */
export function ShowOnce({ title, note, secret, what, caution = null, onClose }: Props) {
  const [isKept, setKept] = useState(false)
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(now) => !now && isKept && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--shade)" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-xl border border-line bg-surface p-5 shadow-pop outline-none">
          <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
          <Dialog.Description className="mt-1 text-soft text-pretty">{note}</Dialog.Description>
          <div className="mt-4 flex items-center gap-2 rounded-md border border-line bg-sunken pr-1 pl-3">
            <code data-secret className="min-w-0 flex-1 py-2.5 font-mono text-xs break-all">
              {secret}
            </code>
            <CopyButton text={secret} label={`Copy ${what}`} />
          </div>
          {caution && (
            <div className="mt-3">
              <Caution>{caution}</Caution>
            </div>
          )}
          <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
            <Tick checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)}>
              I have copied it
            </Tick>
            <Button look="primary" disabled={!isKept} onClick={onClose}>
              Close
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
