import type { Output } from '../show/output.ts'
import { duration } from '../show/words.ts'
import type { StreamEvent } from './events.ts'

type Options = { out: Output; verbose: boolean; now?: () => number }
type Phase = { name: string; since: number; details: Map<string, string> }

const SPIN = '◐◓◑◒'
const DRAW_MS = 120
/** What is shown of a failure: the lines before it. */
const KEPT_LINES = 400

/** What a deployment does, as lines: a terminal shows the running phase with a clock, others get a line when a phase has ended. */
export function progress({ out, verbose, now = () => performance.now() }: Options) {
  const draw = out.live()
  const lines: { seq: number; line: string }[] = []
  let phase: Phase | null = null
  let lost = false
  let turn = 0
  const show = () => draw(phase === null ? [] : [running(out, phase, lost, turn++, now())])
  const timer = out.isTerminal ? setInterval(show, DRAW_MS) : undefined
  const saying = (say: () => void) => {
    draw([])
    say()
    show()
  }
  const end = (mark: string) => {
    const ended = phase
    phase = null
    if (ended) saying(() => out.say(lineOf(out, mark, ended, details(ended), now())))
  }
  return {
    lines,
    onLost: (is: boolean) => {
      lost = is
    },
    onEvent: ({ name, id, data }: StreamEvent) => {
      if (name === 'status') {
        const status = String(data.status)
        if (status === phase?.name) return
        end(status === 'failed' || status === 'cancelled' ? out.paint('red', '✗') : out.paint('green', '✓'))
        if (['queued', 'building', 'deploying'].includes(status))
          phase = { name: status, since: now(), details: new Map() }
      } else if (name === 'log') {
        lines.push({ seq: Number(id), line: String(data.line) })
        if (lines.length > KEPT_LINES) lines.shift()
        if (verbose)
          saying(() => out.say(out.paint('dim', `    ${data.service ? `${data.service}  ` : ''}${data.line}`)))
      } else if (name === 'step' || name === 'service') note(phase, name, data)
    },
    close: () => {
      clearInterval(timer)
      draw([])
    },
  }
}

function note(phase: Phase | null, name: string, data: Record<string, unknown>): void {
  const service = typeof data.service === 'string' ? data.service : ''
  if (name === 'service') phase?.details.set(service, String(data.status))
  else if (typeof data.strategy === 'string') phase?.details.set(service, data.strategy)
}

const details = ({ details }: Phase) => [...details].map(([service, state]) => `${service} ${state}`).join(' · ')

function running(out: Output, phase: Phase, lost: boolean, turn: number, now: number): string {
  const mark = out.paint('cyan', SPIN[turn % SPIN.length] ?? '')
  const said = lost ? 'connection lost, trying again' : details(phase)
  return lineOf(out, mark, phase, said, now)
}

const lineOf = (out: Output, mark: string, { name, since }: Phase, said: string, now: number) =>
  `${mark} ${[name.padEnd(9), said, out.paint('dim', duration(now - since))].filter(Boolean).join('  ')}`
