import { visibleJson, visibleLine } from '@slipway/contract/visible-text'

export type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number }
type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export type Output = ReturnType<typeof output>

type Options = {
  stdout: Stream
  stderr: Stream
  env: NodeJS.ProcessEnv
  json?: boolean | undefined
  quiet?: boolean | undefined
  plain?: boolean | undefined
}

/**
 * Everything that a command prints goes through here: names, messages and log lines are other people's words, and none of them may be a
 * command to the reader's terminal. stdout is data, stderr is talk.
 */
export function output({ stdout, stderr, env, json = false, quiet = false, plain = false }: Options) {
  const isTerminal = stderr.isTTY === true && !json && !isAgent(env) && env.TERM !== 'dumb'
  const colours = isTerminal && !plain && !env.NO_COLOR
  const write = (stream: Stream, text: string, painted: boolean) => void stream.write(`${safe(text, painted)}\n`)
  const inData = colours && stdout.isTTY === true
  const say = (text: string) => write(stderr, text, colours)
  return {
    json,
    isTerminal,
    paint,
    /** Data for people, on stdout. */
    line: (text = '') => void (json || write(stdout, text, inData)),
    /** Data for programs, on stdout. */
    event: (value: unknown) => void (json && stdout.write(`${visibleJson(value)}\n`)),
    /** The result of a command: as it is for programs, in lines for people. */
    result: (value: unknown, lines: () => string[]) => {
      if (json) stdout.write(`${visibleJson(value)}\n`)
      // At once: each write is a call of the kernel, and help has some 150 lines.
      else
        stdout.write(
          lines()
            .map((text) => `${safe(text, inData)}\n`)
            .join(''),
        )
    },
    /** Talk: what is going on. */
    say: (text = '') => void (quiet || json || say(text)),
    /** Something was done: told to programs as the API told it, and to people in a sentence. */
    done: (value: unknown, sentence: string) => {
      if (json) stdout.write(`${visibleJson(value)}\n`)
      else if (!quiet) say(`${paint('green', '✓')} ${sentence}`)
    },
    /** Talk that no flag silences. */
    warn: (text: string) => say(text),
    /** Lines that are drawn over again as things go on; only a terminal shows them. Answers how to draw them anew. */
    live: () => liveLines(stderr, isTerminal && !quiet, (text) => safe(text, colours)),
  }
}

/** Programs that drive a terminal for somebody read lines, not screens. */
export const isAgent = (env: NodeJS.ProcessEnv) => AGENTS.some((name) => env[name] !== undefined && env[name] !== '')
const AGENTS = ['CI', 'AI_AGENT', 'AGENT']

function liveLines(stream: Stream, shown: boolean, asSafe: (text: string) => string) {
  let drawn = 0
  return (lines: string[]): void => {
    if (!shown || (drawn === 0 && lines.length === 0)) return
    // A terminal that does not know how wide it is says 0.
    const most = (stream.columns || 80) - 1
    const up = drawn > 0 ? `\x1b[${drawn}A\r` : ''
    stream.write(`${up}\x1b[J${lines.map((line) => `${asSafe(cut(line, most))}\n`).join('')}`)
    drawn = lines.length
  }
}

/** Nobody else can write it: a colour is ours, or it is shown as the characters that it is. */
const MARK = `\x00${Math.random().toString(36).slice(2)}`
const MARKED = new RegExp(`${MARK}(\\d+)m`)

const CODES: Record<Style, [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

const paint = (style: Style, text: string) => `${MARK}${CODES[style][0]}m${text}${MARK}${CODES[style][1]}m`

/** Our own colours are written or left out, whatever else a terminal would obey is shown. */
const safe = (text: string, colours: boolean): string =>
  text
    .split(MARKED)
    .map((piece, n) => (n % 2 === 0 ? visibleLine(piece) : colours ? `\x1b[${piece}m` : ''))
    .join('')

/** How many columns it takes, colours apart. */
export const widthOf = (text: string): number =>
  text.split(MARKED).reduce((sum, piece, n) => (n % 2 === 0 ? sum + [...visibleLine(piece)].length : sum), 0)

/** A line that wraps would be drawn over in part only. */
function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text
  return `${[
    ...visibleLine(
      text
        .split(MARKED)
        .filter((_, n) => n % 2 === 0)
        .join(''),
    ),
  ]
    .slice(0, most - 1)
    .join('')}…`
}
