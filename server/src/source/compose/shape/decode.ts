import { at, fault, type Place, type Warning, warningAt } from '../faults.ts'
import { bytesOf, durationText, nanosecondsOf, shortFloat } from '../forms/amounts.ts'
import { splitWords } from '../forms/words.ts'
import { pairsOf } from '../merge/merge.ts'
import { type Dict, Float, isDict, isList, Moment, mapDict, own, type Scalar, textOf, type Value } from '../values.ts'
import { choose } from './check.ts'
import type { EitherShape, Leaf, Shape } from './kinds.ts'

type Warn = (warning: Warning) => void

/** A value in the normal form; undefined where the normal form says nothing. */
export function decode(value: Value, shape: Shape, place: Place, warn: Warn): Value | undefined {
  if (shape.kind === 'either' && shape.as !== 'the longer') return special(value, shape, place, warn)
  const fitting = choose(value, shape)
  if (fitting === undefined || value === null) return undefined
  if (fitting.kind === 'leaf') return leaf(value as Scalar, fitting, place)
  if (fitting.kind === 'list') return list(value as Value[], fitting.of, place, warn)
  const { fields, named } = fitting
  const dict = mapDict(value as Dict, (inner, key) => {
    const field = own(fields, key)
    if (field) return decode(inner, field, at(place, key), warn)
    if (!named) return asJson(inner)
    if (inner === null) return named.empty === 'nothing' ? null : named.empty === 'empty text' ? '' : undefined
    return decode(inner, named.shape, at(place, key), warn)
  })
  return named && Object.keys(dict).length === 0 ? undefined : dict
}

function list(items: Value[], of: Shape, place: Place, warn: Warn): Value | undefined {
  const decoded = items.map((item, n) =>
    decode(item, of.kind === 'leaf' ? { ...of, kept: true } : of, at(place, n), warn),
  )
  const said = decoded.filter((item) => item !== undefined)
  return said.length === 0 ? undefined : said
}

/** What is not ours to understand, as JSON has it. */
export function asJson(value: Value): Value {
  if (isList(value)) return value.map(asJson)
  if (isDict(value)) return mapDict(value, asJson)
  if (value instanceof Float) return value.value
  return value instanceof Moment ? value.text : typeof value === 'bigint' ? Number(value) : value
}

function leaf(value: Scalar, shape: Leaf, place: Place): Value | undefined {
  const read = FORMS[shape.form](value, place)
  const zero = read === '' || read === 0 || read === false || (shape.form === 'size' && read === '0')
  return zero && !shape.kept ? undefined : read
}

const FORMS: Record<Leaf['form'], (value: Scalar, place: Place) => Value> = {
  text(value, place) {
    if (value instanceof Moment) throw fault(place, 'it is read as a date', 'Put it in quotes.')
    return textOf(value)
  },
  flag: (value) => value === true,
  integer: (value, place) => {
    if (typeof value === 'string') throw fault(place, 'it is text where a number is expected', 'Remove the quotes.')
    return Math.trunc(numberOf(value))
  },
  float: (value) => shortFloat(numberOf(value)),
  size(value, place) {
    if (value instanceof Float) {
      throw fault(place, 'a size needs a unit, or a whole number of bytes', 'Write it as text, such as "512m".')
    }
    if (typeof value !== 'string') return textOf(value)
    const bytes = bytesOf(value)
    if (bytes === undefined) throw fault(place, 'it is not a size', 'Write a number and a unit, such as 512m or 2g.')
    return String(bytes)
  },
  duration(value, place) {
    const nanoseconds = nanosecondsOf(textOf(value))
    if (nanoseconds === undefined) {
      throw fault(place, 'it is not a duration', 'Write a number and a unit, such as 30s or 1m30s.')
    }
    return durationText(nanoseconds)
  },
}

const numberOf = (value: Scalar) => (value instanceof Float ? value.value : Number(value))

function special(value: Value, { as }: EitherShape, place: Place, warn: Warn): Value | undefined {
  if (as === 'words') return value === null ? undefined : wordsOf(value, place, warn)
  if (as === 'test')
    return typeof value === 'string' ? ['CMD-SHELL', value] : isList(value) && value.length > 0 ? value : undefined
  if (as === 'hosts') return hostsOf(value, place)
  const pairs = isList(value) ? pairsOf(value) : isDict(value) ? value : {}
  if (Object.keys(pairs).length === 0) return undefined
  return mapDict(pairs, (inner) => (inner === null && as === 'variables' ? null : textOf(inner as Scalar)))
}

function wordsOf(value: Value, place: Place, warn: Warn): Value {
  if (isList(value)) return value.map((item, n) => FORMS.text(item as Scalar, at(place, n)))
  const split = splitWords(FORMS.text(value as Scalar, place) as string)
  if (!split) {
    throw fault(
      place,
      'the command cannot be split into words: a quote or a bracket does not end, or ends nothing',
      'Write it as a list, one word per entry; a shell must be named: ["sh", "-c", "…"].',
    )
  }
  if (split.cut) {
    const message =
      'The command ends before the first ; & | < or >, as in compose: no shell reads it. Name one: ["sh", "-c", "…"].'
    warn(warningAt(place.path, message))
  }
  return split.words
}

/** `name=address`, sorted by name as compose does. */
function hostsOf(value: Value, place: Place): Value | undefined {
  const lines = isDict(value)
    ? Object.entries(value).flatMap(([name, said]) =>
        (isList(said) ? said : [said]).map((address) => [name, textOf(address as Scalar)]),
      )
    : (value as Value[]).map((item, n) => splitHost(textOf(item as Scalar), at(place, n)))
  const sorted = lines.sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted.length === 0 ? undefined : sorted.map(([name, address]) => `${name}=${unbracketed(address ?? '')}`)
}

function splitHost(line: string, place: Place): [string, string] {
  const [, name, address] = /^([^=:]*)[=:](.*)$/s.exec(line) ?? []
  if (!name || !address) throw fault(place, 'it names no host and address', 'Write HOST=ADDRESS.')
  return [name, address]
}

const unbracketed = (address: string) => address.replace(/^\[(.*)\]$/, '$1')
