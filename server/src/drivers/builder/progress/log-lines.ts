import { StringDecoder } from 'node:string_decoder'
import type { BuildEvent } from '../builder.ts'
import type { ProgressDocument } from './read.ts'

type LogPiece = NonNullable<ProgressDocument['logs']>[number]
type OpenLine = { step: string; stream: 'stdout' | 'stderr'; decoder: StringDecoder; text: string; at: string }

/** A line longer than this is cut into several: a program may print gigabytes without a newline. */
const MOST_CHARACTERS = 16_384

/** Whole lines from pieces that hold many lines, half a line, or half a character. */
export function logLines(emit: (event: BuildEvent) => void, nameOf: (step: string) => string) {
  const open = new Map<string, OpenLine>()
  let clipped = false

  const print = ({ step, stream, at }: OpenLine, line: string) => {
    // BuildKit's own words, in the middle of what the program printed.
    clipped ||= line.startsWith('[output clipped, log limit')
    emit({ type: 'log', step, name: nameOf(step), stream, line: line.endsWith('\r') ? line.slice(0, -1) : line, at })
  }
  const finish = (key: string, begun: OpenLine) => {
    open.delete(key)
    const rest = begun.text + begun.decoder.end()
    if (rest !== '') print(begun, rest)
  }

  return {
    take({ vertex, stream, data, timestamp }: LogPiece) {
      const key = `${vertex} ${stream}`
      const at = new Date(timestamp).toISOString()
      const begun = open.get(key) ?? newLine(vertex, stream, at)
      open.set(key, begun)
      if (begun.text === '') begun.at = at
      const lines = (begun.text + begun.decoder.write(Buffer.from(data, 'base64'))).split('\n')
      begun.text = lines.pop() ?? ''
      for (const line of lines) {
        for (const part of partsOf(line)) print(begun, part)
        begun.at = at
      }
      while (begun.text.length > MOST_CHARACTERS) {
        print(begun, begun.text.slice(0, MOST_CHARACTERS))
        begun.text = begun.text.slice(MOST_CHARACTERS)
      }
    },
    endLines(step: string) {
      for (const [key, begun] of open) if (begun.step === step) finish(key, begun)
    },
    end() {
      for (const [key, begun] of open) finish(key, begun)
    },
    clipped: () => clipped,
  }
}

function newLine(step: string, stream: number, at: string): OpenLine {
  return { step, stream: stream === 2 ? 'stderr' : 'stdout', decoder: new StringDecoder('utf8'), text: '', at }
}

function partsOf(line: string): string[] {
  if (line.length <= MOST_CHARACTERS) return [line]
  const count = Math.ceil(line.length / MOST_CHARACTERS)
  return Array.from({ length: count }, (_, n) => line.slice(n * MOST_CHARACTERS, (n + 1) * MOST_CHARACTERS))
}
