import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../command.ts'
import { usage } from '../failure.ts'
import { nearest } from './nearest.ts'

type Kind = 'text' | 'number' | 'boolean' | 'list'
type Value = string | number | boolean | string[] | null
export type Fields = Readonly<Record<string, Kind>>

/** NAME=VALUE, as one word. */
export function pairOf(word: string): { name: string; value: string } {
  const at = word.indexOf('=')
  if (at < 1) throw usage(`${word} has no value.`, 'Say NAME=VALUE, or NAME=- to take the value from standard input.')
  return { name: word.slice(0, at), value: word.slice(at + 1) }
}

/**
 * Fields as the API calls them, from words such as `port=22`. A secret is in nobody's list of processes: `NAME=-` takes it from standard
 * input, `NAME=@FILE` from a file. `NAME=` takes the value away.
 */
export async function fieldsIn(
  io: Pick<Io, 'stdin' | 'cwd'>,
  words: string[],
  known: Fields,
): Promise<Record<string, Value>> {
  const pairs = words.map(pairOf)
  if (pairs.filter(({ value }) => value === '-').length > 1) throw usage('Only one value can come from standard input.')
  const found: Record<string, Value> = {}
  for (const { name, value } of pairs) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) throw unknownField(name, Object.keys(known))
    found[name] = value === '' ? null : typed(name, kind, await givenValue(io, value))
  }
  return found
}

function unknownField(name: string, known: string[]): Error {
  const meant = nearest(name, known)
  return usage(`There is no ${name} to set.`, meant ? `Did you mean: ${meant}=` : `There is: ${known.join(', ')}.`)
}

async function givenValue({ stdin, cwd }: Pick<Io, 'stdin' | 'cwd'>, value: string): Promise<string> {
  if (value === '-') return (await allOf(stdin())).replace(/\r?\n$/, '')
  return value.startsWith('@') ? textOf(resolve(cwd, value.slice(1))) : value
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Loaded when it is asked for: few commands read anything. */
export async function allOf(stdin: NodeJS.ReadableStream): Promise<string> {
  const { text } = await import('node:stream/consumers')
  return text(stdin)
}

const SAID: Readonly<Record<string, boolean>> = { true: true, yes: true, on: true, false: false, no: false, off: false }

function typed(name: string, kind: Kind, value: string): Value {
  if (kind === 'list') return value.split(',').map((one) => one.trim())
  if (kind === 'number') {
    const number = Number(value)
    if (Number.isFinite(number)) return number
    throw usage(`${name} is a number, not ${value}.`)
  }
  if (kind !== 'boolean') return value
  const said = Object.hasOwn(SAID, value) ? SAID[value] : undefined
  if (said === undefined) throw usage(`${name} is on or off, not ${value}.`)
  return said
}
