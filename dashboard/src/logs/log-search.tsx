import { ChevronDown, ChevronUp, ListFilter, Search, X } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '../ui/button.tsx'
import type { Log } from './open-log.ts'
import { useCalledOff, useLog } from './use-log.ts'

type Props = {
  log: Log
  input: RefObject<HTMLInputElement | null>
  find: string
  only: boolean
  /** Of the match that was gone to, from 0. */
  at: number
  onFind(find: string): void
  onOnly(only: boolean): void
  onStep(by: 1 | -1): void
  /** The focus is to go on to the lines. */
  onLeave(): void
}

export function LogSearch({ log, input, find, only, at, onFind, onOnly, onStep, onLeave }: Props) {
  return (
    <search className="flex min-w-0 flex-1 items-center gap-1 max-sm:basis-full">
      <div className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-surface px-2 has-[input:focus-visible]:border-(--ring) sm:max-w-96 pointer-coarse:h-11">
        <Search size={14} aria-hidden className="shrink-0 text-faint" />
        <input
          ref={input}
          value={find}
          onChange={(event) => onFind(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
            if (event.key !== 'Escape') return
            onFind('')
            onLeave()
          }}
          placeholder="Find, or /pattern/"
          aria-label="Find in the log"
          className="min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint sm:text-sm"
        />
        {find === '' ? (
          <kbd className="hidden rounded border border-line px-1 font-sans text-2xs text-faint sm:block">/</kbd>
        ) : (
          <>
            <Found log={log} at={at} find={find} />
            <button
              type="button"
              aria-label="Clear the search"
              onClick={() => onFind('')}
              className="text-faint hover:text-ink pointer-coarse:-mr-2 pointer-coarse:grid pointer-coarse:size-11 pointer-coarse:place-items-center"
            >
              <X size={14} aria-hidden />
            </button>
          </>
        )}
      </div>
      {find !== '' && <Steps log={log} only={only} onOnly={onOnly} onStep={onStep} />}
    </search>
  )
}

function Found({ log, at, find }: { log: Log; at: number; find: string }) {
  const matches = useLog(log, (state) => state.matches)
  const isSearching = useLog(log, (state) => state.isSearching)
  const isCalledOff = useCalledOff(log) === find
  const counted = `${(at + 1).toLocaleString('en')} of ${matches.toLocaleString('en')}`
  const said = isCalledOff ? 'takes too long, stopped' : matches > 0 ? counted : isSearching ? '…' : 'none'
  return (
    <output className={`shrink-0 text-xs num ${isCalledOff ? 'text-ask' : 'text-faint'}`} aria-live="polite">
      {said}
    </output>
  )
}

type StepsProps = Pick<Props, 'log' | 'only' | 'onOnly' | 'onStep'>

function Steps({ log, only, onOnly, onStep }: StepsProps) {
  const isNone = useLog(log, (state) => state.matches === 0)
  return (
    <>
      <Button look="quiet" size="icon" aria-label="Previous match" disabled={isNone} onClick={() => onStep(-1)}>
        <ChevronUp size={15} aria-hidden />
      </Button>
      <Button look="quiet" size="icon" aria-label="Next match" disabled={isNone} onClick={() => onStep(1)}>
        <ChevronDown size={15} aria-hidden />
      </Button>
      <Button
        look={only ? 'plain' : 'quiet'}
        size="icon"
        aria-label="Show only matching lines"
        aria-pressed={only}
        onClick={() => onOnly(!only)}
      >
        <ListFilter size={15} aria-hidden />
      </Button>
    </>
  )
}
