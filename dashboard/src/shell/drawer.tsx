import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'

/** The sidebar on a narrow screen. */
export function Drawer({ open, onClose, children }: { open: boolean; onClose(): void; children: ReactNode }) {
  return (
    <Dialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--shade)" />
        <Dialog.Popup
          aria-label="Menu"
          className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] border-r border-line bg-canvas shadow-pop outline-none"
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
