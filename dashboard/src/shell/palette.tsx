import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { CornerDownLeft, Search } from 'lucide-react'
import { useState } from 'react'
import { type Entry, type Group, usePaletteEntries } from './use-palette-entries.tsx'
import type { TypedAhead } from './use-typed-ahead.ts'

type Props = { ahead: TypedAhead; onClose(): void; onKeys(): void }

/** Every place, project and recent deployment by typing a few letters of it; works while the rest still loads. */
export function Palette({ ahead, onClose, onKeys }: Props) {
  const [text, setText] = useState('')
  const groups = usePaletteEntries(onKeys)
  const run = (entry: Entry) => {
    onClose()
    entry.run()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--shade)" />
        <Dialog.Popup
          aria-label="Search and commands"
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[min(38rem,calc(100vw-1.5rem))] -translate-x-1/2 animate-[rise_120ms_ease-out] flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-pop outline-none"
        >
          <Autocomplete.Root
            items={groups}
            itemToStringValue={(entry: Entry) => entry.label}
            value={text}
            onValueChange={setText}
            open
            inline
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search size={16} className="text-faint" aria-hidden />
              <Autocomplete.Input
                onFocus={() => setText(text + ahead.take())}
                placeholder="Go somewhere, find a deployment…"
                aria-label="Search and commands"
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint sm:text-sm"
              />
            </div>
            <Autocomplete.Empty className="px-4 text-soft empty:hidden">
              <p className="py-8 text-center">Nothing has that name.</p>
            </Autocomplete.Empty>
            <Autocomplete.List className="thin-scroll overflow-y-auto p-1.5 empty:p-0">
              {(group: Group) => <EntryGroup key={group.value} group={group} onRun={run} />}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function EntryGroup({ group, onRun }: { group: Group; onRun(entry: Entry): void }) {
  return (
    <Autocomplete.Group items={group.items} className="mb-1">
      <Autocomplete.GroupLabel className="px-2.5 py-1 text-2xs font-medium text-faint">
        {group.value}
      </Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(entry: Entry) => (
          <Autocomplete.Item
            key={entry.value}
            value={entry}
            onClick={() => onRun(entry)}
            className="group flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 outline-none data-highlighted:bg-hover pointer-coarse:h-11"
          >
            <span className="text-faint">{entry.icon}</span>
            <span className="truncate">{entry.label}</span>
            <span className="ml-auto shrink-0 text-xs text-faint">{entry.note}</span>
            <CornerDownLeft size={13} className="hidden shrink-0 text-faint group-data-highlighted:block" aria-hidden />
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  )
}
