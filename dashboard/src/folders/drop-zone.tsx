import { FolderUp } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { chosenEntries, droppedEntries, type Entry } from './entry.ts'

/** TypeScript does not know what makes a file input one for folders. */
const FOLDER_INPUT = { webkitdirectory: '' }

type Props = { onFolder(entries: Entry[]): void; reason?: string | null; children?: ReactNode }

/** Takes a folder by a drop, or by an input for those who do not drag. */
export function DropZone({ onFolder, reason = null, children }: Props) {
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(reason === null)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (reason === null) onFolder(droppedEntries(event.dataTransfer.items))
  }
  return (
    <section
      aria-label="A folder"
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`rounded-xl border-2 border-dashed px-4 py-10 text-center transition-colors duration-100 sm:px-6 sm:py-12 ${isOver ? 'border-run-mark bg-run-tint' : 'border-line-strong bg-surface'}`}
    >
      <FolderUp size={28} strokeWidth={1.6} className="mx-auto text-brand" aria-hidden />
      <p className="mt-3 text-base font-semibold">Drop a folder here</p>
      <p className="mx-auto mt-1 max-w-md text-soft text-pretty">
        Only what the server lacks is sent. <span className="whitespace-nowrap">.git</span>, node_modules, what your
        ignore files name and every .env file stay with you.
      </p>
      <div className="mt-4 flex flex-col items-center gap-1">
        <Button disabled={reason !== null} onClick={() => input.current?.click()}>
          Choose a folder
        </Button>
        {reason && <p className="text-xs text-faint">{reason}</p>}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Folder"
        {...FOLDER_INPUT}
        onChange={({ currentTarget }) => {
          // A copy: the list is emptied below, so that the same folder can be chosen again.
          const files = [...(currentTarget.files ?? [])]
          currentTarget.value = ''
          if (files.length > 0) onFolder(chosenEntries(files))
        }}
      />
      {children}
    </section>
  )
}
