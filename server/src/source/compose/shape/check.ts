import { at, fault, type Place, quoted } from '../faults.ts'
import { type Dict, Float, fingerprint, isDict, isList, Moment, type Scalar, type Value } from '../values.ts'
import type { DictShape, Leaf, ListShape, Shape, Type } from './kinds.ts'

/** Refuses what compose would refuse: unknown keys, the wrong kind of value, what must be there and is not. */
export function check(value: Value, shape: Shape, place: Place): void {
  const fitting = choose(value, shape)
  if (fitting === undefined) {
    throw fault(place, `${said(value)} stands where ${expected(shape)} is expected`, hintFor(value, shape))
  }
  if (fitting.kind === 'leaf') checkLeaf(value as Scalar, fitting, place)
  else if (fitting.kind === 'list') checkList(value as Value[], fitting, place)
  else if (value !== null) checkDict(value as Dict, fitting, place)
}

/** Which of the spellings a value is meant as. */
export function choose(value: Value, shape: Shape): Exclude<Shape, { kind: 'either' }> | undefined {
  if (shape.kind === 'either') {
    for (const option of shape.of) {
      const chosen = choose(value, option)
      if (chosen) return chosen
    }
    return undefined
  }
  if (shape.kind === 'list') return isList(value) ? shape : undefined
  if (shape.kind === 'dict') return isDict(value) || (value === null && shape.nullable) ? shape : undefined
  if (isList(value) || isDict(value)) return undefined
  return shape.takes.some((type) => is(type, value)) ? shape : undefined
}

function is(type: Type, value: Scalar): boolean {
  if (type === 'nothing') return value === null
  if (type === 'text') return typeof value === 'string' || value instanceof Moment
  if (type === 'flag') return typeof value === 'boolean'
  const whole = typeof value === 'number' || typeof value === 'bigint'
  return whole || (value instanceof Float && (type === 'number' || Number.isInteger(value.value)))
}

function checkLeaf(value: Scalar, { words, least, most }: Leaf, place: Place): void {
  if (words && !words.includes(String(value))) {
    throw fault(place, `${quoted(String(value))} is not one of ${words.join(', ')}`, `Use one of ${words.join(', ')}.`)
  }
  if (typeof value !== 'number' || least === undefined || most === undefined) return
  if (value < least || value > most) {
    throw fault(place, `${value} is not between ${least} and ${most}`, 'Use a number in that range.')
  }
}

function checkList(items: Value[], { of, unique }: ListShape, place: Place): void {
  for (const [n, item] of items.entries()) check(item, of, at(place, n))
  if (!unique) return
  const seen = new Set<string>()
  for (const [n, item] of items.entries()) {
    const key = fingerprint(item)
    if (seen.has(key)) throw fault(at(place, n), 'the same entry is there twice', 'Remove one of the two.')
    seen.add(key)
  }
}

function checkDict(dict: Dict, { fields, named, required = [], open }: DictShape, place: Place): void {
  for (const [key, value] of Object.entries(dict)) {
    const shape = Object.hasOwn(fields, key) ? fields[key] : named?.like.test(key) ? named.shape : undefined
    if (shape) check(value, shape, at(place, key))
    else if (!(open && key.startsWith('x-'))) throw unknownKey(key, Object.keys(fields), place)
  }
  for (const key of required) {
    if (!(key in dict)) throw fault(place, `the key ${key} is missing`, `Add ${key}.`)
  }
}

function unknownKey(key: string, known: string[], place: Place) {
  if (known.length === 0)
    return fault(place, `${quoted(key)} is not a name that can be used here`, 'Choose another name.')
  const near = known.find((name) => distance(name, key) <= 2)
  return fault(
    at(place, key),
    'compose knows no such key here',
    near === undefined ? 'Remove it, or let its name begin with x-.' : `Did you mean ${near}?`,
  )
}

/** How many letters differ; names are short. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 3
}

const NAMES: Record<Type, string> = {
  text: 'text',
  flag: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  nothing: 'nothing',
}

function expected(shape: Shape): string {
  if (shape.kind === 'either') return shape.of.map(expected).join(' or ')
  if (shape.kind === 'list') return 'a list'
  return shape.kind === 'dict' ? 'a mapping' : shape.takes.map((type) => NAMES[type]).join(' or ')
}

function said(value: Value): string {
  if (value === null) return 'nothing'
  if (isList(value)) return 'a list'
  if (isDict(value)) return 'a mapping'
  if (typeof value === 'boolean') return 'true or false'
  return typeof value === 'string' || value instanceof Moment ? 'text' : 'a number'
}

function hintFor(value: Value, shape: Shape): string {
  const scalar = !isList(value) && !isDict(value)
  if (value === null) return 'Give it a value, or remove the key.'
  if (scalar && typeof value !== 'string' && choose('', shape)) return 'Put it in quotes.'
  return `Write ${expected(shape)}.`
}
