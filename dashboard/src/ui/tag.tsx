import { Check, CircleAlert, CircleHelp, CircleX, LoaderCircle, type LucideIcon, Minus } from 'lucide-react'
import type { Tone } from './title.ts'

const LOOKS: Record<Tone, { sign: LucideIcon; look: string }> = {
  ok: { sign: Check, look: 'bg-ok-tint text-ok' },
  run: { sign: LoaderCircle, look: 'bg-run-tint text-run' },
  ask: { sign: CircleHelp, look: 'bg-ask-tint text-ask' },
  bad: { sign: CircleX, look: 'bg-bad-tint text-bad' },
  idle: { sign: Minus, look: 'bg-idle-tint text-idle' },
}

/** A state: its word, its sign and its colour. */
export function Tag({ tone, children }: { tone: Tone; children: string }) {
  const { sign: Sign, look } = LOOKS[tone]
  return (
    <span
      className={`inline-flex h-6 shrink-0 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap ${look}`}
    >
      <Sign size={13} strokeWidth={2.25} aria-hidden />
      {children}
    </span>
  )
}

/** Something to know about a thing that is no state of it. */
export const Badge = ({ children }: { children: string }) => (
  <span className="inline-flex h-5 shrink-0 items-center rounded-md border border-line px-1.5 text-2xs font-medium text-soft">
    {children}
  </span>
)

/** Something that somebody should know before going on; it is no refusal. */
export const Caution = ({ children }: { children: string }) => (
  <p className="flex gap-2 rounded-lg bg-ask-tint p-3 text-ask text-pretty">
    <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
    <span className="min-w-0 break-words">{children}</span>
  </p>
)
