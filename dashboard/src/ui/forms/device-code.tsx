import { ExternalLink } from 'lucide-react'
import { CopyButton } from '../copy-button.tsx'
import { durationInWords } from '../in-words.ts'
import { useNow } from '../time.tsx'

type Props = { code: string; at: string; until: string; note: string }

/** A code that is typed on another page: large, to be copied, and how long it is good for. */
export function DeviceCode({ code, at, until, note }: Props) {
  const leftMs = Date.parse(until) - useNow()
  return (
    <div className="p-5 text-center">
      <p className="text-soft text-pretty">{note}</p>
      <p className="my-4 flex items-center justify-center gap-2">
        <code className="font-mono text-3xl font-semibold tracking-wider select-all">{code}</code>
        <CopyButton text={code} label="Copy the code" />
      </p>
      <a
        href={at}
        target="_blank"
        rel="noopener noreferrer"
        className="inline-flex min-h-10 max-w-full items-center gap-2 rounded-md bg-primary px-4 font-medium text-primary-ink shadow-card hover:opacity-90 pointer-coarse:min-h-11"
      >
        <span className="truncate">Open {new URL(at).host}</span>
        <ExternalLink size={14} className="shrink-0" aria-hidden />
      </a>
      <p className="mt-4 text-xs text-faint num">
        {leftMs > 0 ? `Good for another ${durationInWords(Math.ceil(leftMs / 1000) * 1000)}` : 'The code has expired.'}
      </p>
    </div>
  )
}
