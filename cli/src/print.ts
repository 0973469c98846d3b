import { visibleJson, visibleLine } from '@slipway/contract/visible-text'

// Everything that a command prints goes through here: names, messages and log lines are other people's words, and none of
// them may be a command to the reader's terminal.

/** Data, for people: a line on stdout. */
export const printLine = (text: string): void => void process.stdout.write(`${visibleLine(text)}\n`)

/** Data, for programs: one object on stdout. */
export const printJson = (value: unknown): void => void process.stdout.write(`${visibleJson(value)}\n`)

/** Talk: a line on stderr. */
export const say = (text: string): void => void process.stderr.write(`${visibleLine(text)}\n`)
