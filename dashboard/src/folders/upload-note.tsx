import { CircleX } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { bytesInWords } from '../ui/bytes-in-words.ts'
import { counted } from '../ui/in-words.ts'
import { Refused } from '../ui/refused.tsx'
import type { ReadFolder } from './read-folder.ts'
import { FolderTrouble } from './trouble.ts'
import type { Progress } from './upload.ts'
import type { UploadState } from './use-upload.ts'

type Props = { state: UploadState; onAgain(folder: ReadFolder): void; onLeave(): void }

/** How far it is, in a bar and in words; broken off, why, and the way on. */
export function UploadNote({ state, onAgain, onLeave }: Props) {
  if (state.step === 'none' || state.step === 'sealed') return null
  if (state.step === 'failed') {
    const { folder, error } = state
    const again = folder && folder.files.length > 0 ? () => onAgain(folder) : null
    return (
      <div className="mx-auto mt-6 max-w-lg text-left">
        {error instanceof FolderTrouble ? (
          <Trouble text={error.message} onAgain={again} />
        ) : (
          <Refused error={error} {...(again && { onRetry: again })} />
        )}
      </div>
    )
  }
  const progress = state.step === 'sending' ? state.progress : null
  return (
    <div className="mx-auto mt-6 max-w-lg">
      <Bar part={partOf(progress)} />
      <p role="status" className="mt-2 text-xs text-soft num">
        {state.step === 'listing' ? `Looking at the folder, ${counted(state.found, 'file')} so far` : inWords(progress)}
      </p>
      <Button size="sm" look="quiet" className="mt-2" onClick={onLeave}>
        Leave it
      </Button>
    </div>
  )
}

function Trouble({ text, onAgain }: { text: string; onAgain: (() => void) | null }) {
  return (
    <div role="alert" className="flex gap-2.5 rounded-lg bg-bad-tint p-3 text-bad">
      <CircleX size={16} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0 break-words text-pretty">
        <p className="font-medium">{text}</p>
        {onAgain && (
          <Button size="sm" className="mt-2" onClick={onAgain}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

const Bar = ({ part }: { part: number }) => (
  <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-hover">
    <div className="under-way h-full rounded-full bg-run-mark" style={{ width: `${Math.max(2, part * 100)}%` }} />
  </div>
)

function partOf(progress: Progress | null): number {
  if (progress === null) return 0
  if (progress.phase === 'sealed') return 1
  if (progress.phase === 'reading') return progress.done / Math.max(1, progress.total)
  return progress.bytes / Math.max(1, progress.allBytes)
}

const number = (value: number) => value.toLocaleString('en')

function inWords(progress: Progress | null): string {
  if (progress === null) return 'Reading'
  if (progress.phase === 'reading') return `Reading ${number(progress.done)} of ${number(progress.total)}`
  if (progress.phase === 'sealed') return 'Complete'
  const { done, total, bytes, allBytes, known } = progress
  const size = `${bytesInWords(bytes)} of ${bytesInWords(allBytes)}`
  return `Sending ${number(done)} of ${number(total)} (${size}, ${number(known)} known)`
}
