import { AlertDialog } from '@base-ui/react/alert-dialog'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Refused } from './refused.tsx'

type Props = {
  open: boolean
  title: string
  /** What will be different, and what stays: a sentence each. */
  consequences: ReactNode[]
  verb: string
  danger?: boolean
  /** What has to be chosen or typed first, and whether it was. */
  children?: ReactNode
  isReady?: boolean
  busy: boolean
  /** Why the server said no; the dialog stays open and says it. */
  error: unknown
  onConfirm(): void
  onClose(): void
}

/** Asked before anything that visitors notice or that cannot be taken back. */
export function Confirm(props: Props) {
  const { open, title, consequences, verb, danger, children, isReady = true, busy, error, onConfirm, onClose } = props
  return (
    <AlertDialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-(--shade)" />
        <AlertDialog.Popup className="thin-scroll fixed top-1/2 left-1/2 z-50 max-h-[90dvh] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-5 shadow-pop outline-none">
          <AlertDialog.Title className="text-base font-semibold text-balance">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="mt-3 text-soft">
            <ul className="space-y-2">
              {consequences.map((one, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: sentences in their order
                <li key={at} className="flex gap-2.5">
                  <span aria-hidden className="mt-2 size-1 shrink-0 rounded-full bg-faint" />
                  <span className="text-pretty">{one}</span>
                </li>
              ))}
            </ul>
          </AlertDialog.Description>
          {children && <div className="mt-4 space-y-4">{children}</div>}
          <Refused error={error} className="mt-4" />
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <AlertDialog.Close render={<Button>Leave it</Button>} />
            <Button look={danger ? 'danger' : 'primary'} busy={busy} disabled={!isReady} onClick={onConfirm}>
              {verb}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
