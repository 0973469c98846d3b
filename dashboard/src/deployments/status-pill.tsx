import {
  Check,
  CircleDashed,
  CircleHelp,
  CircleSlash,
  CircleX,
  LoaderCircle,
  type LucideIcon,
  PieChart,
  Radio,
  SkipForward,
  Undo2,
} from 'lucide-react'
import type { Tone } from '../ui/title.ts'
import { type Shown, type Sign, shown, type Told } from './words.ts'

const SIGNS: Record<Sign, LucideIcon> = {
  wait: CircleDashed,
  turn: LoaderCircle,
  check: Check,
  live: Radio,
  cross: CircleX,
  ask: CircleHelp,
  half: PieChart,
  stop: CircleSlash,
  skip: SkipForward,
  back: Undo2,
}

const TONES: Record<Tone, string> = {
  ok: 'bg-ok-tint text-ok',
  run: 'bg-run-tint text-run',
  ask: 'bg-ask-tint text-ask',
  bad: 'bg-bad-tint text-bad',
  idle: 'bg-idle-tint text-idle',
}

export const StatusPill = ({ of, large = false }: { of: Told; large?: boolean }) => (
  <Pill {...shown(of)} large={large} />
)

/** A state is told three times over: by its word, its sign and its colour. */
export function Pill({ word, tone, sign, large = false }: Shown & { large?: boolean }) {
  const Drawn = SIGNS[sign]
  return (
    <span
      data-state
      className={`inline-flex shrink-0 items-center gap-1.5 rounded-full font-medium whitespace-nowrap ${TONES[tone]} ${large ? 'h-7 px-2.5 text-sm' : 'h-6 px-2 text-xs'}`}
    >
      <Drawn
        aria-hidden
        size={large ? 15 : 13}
        strokeWidth={2.25}
        className={sign === 'turn' ? 'animate-spin [animation-duration:1.6s]' : ''}
      />
      {word}
    </span>
  )
}
