import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { PLACES } from './places.ts'

const KEYS: [keys: string[], does: string][] = [
  [['⌘', 'K'], 'Search and commands (Ctrl K elsewhere)'],
  [['/'], 'The same; in a log, find'],
  ...PLACES.map(({ key, label }): [string[], string] => [['g', key], `Go to ${label}`]),
  [['j'], 'Next row of a list'],
  [['k'], 'Row before'],
  [['Enter'], 'Open it'],
  [['n'], 'In a log: next match, N the one before'],
  [['e'], 'In a log: next error'],
  [['End'], 'In a log: follow it'],
  [['↑', '↓'], 'On the number of a line: the one beside it'],
  [['Esc'], 'Close what lies on top'],
  [['?'], 'This sheet'],
]

export function KeySheet({ onClose }: { onClose(): void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--shade)" />
        <Dialog.Popup className="thin-scroll fixed top-1/2 left-1/2 z-50 max-h-[90dvh] w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-5 shadow-pop outline-none">
          <div className="flex items-center justify-between">
            <Dialog.Title className="text-base font-semibold">Keys</Dialog.Title>
            <Dialog.Close
              render={
                <Button look="quiet" size="icon" aria-label="Close">
                  <X size={16} aria-hidden />
                </Button>
              }
            />
          </div>
          <dl className="mt-3 space-y-2">
            {KEYS.map(([keys, does]) => (
              <div key={keys.join(' ')} className="flex items-center justify-between gap-4">
                <dt className="text-soft">{does}</dt>
                <dd className="flex shrink-0 gap-1">
                  {keys.map((key) => (
                    <kbd key={key} className="rounded border border-line bg-sunken px-1.5 py-0.5 font-sans text-xs">
                      {key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
