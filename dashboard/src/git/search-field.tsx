import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'

const STOPPED_MS = 300

type Props = { label: string; value: string; onSearch(text: string): void }

/** What is typed stays here; the address, and with it the page, changes when the typing stops. */
export function SearchField({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function at every drawing is no new text
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onSearch(text), STOPPED_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <div className="relative min-w-0 flex-1 basis-48 sm:max-w-72">
      <Search size={14} className="absolute top-1/2 left-2.5 -translate-y-1/2 text-faint" aria-hidden />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={100}
        onChange={(event) => setText(event.currentTarget.value)}
        className="h-8 w-full rounded-md border border-line bg-surface pr-2.5 pl-8 text-base shadow-card placeholder:text-faint pointer-coarse:h-11 sm:text-sm"
      />
    </div>
  )
}
