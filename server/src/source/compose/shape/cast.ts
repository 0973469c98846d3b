import { at, fault, type Place, quoted, type Warning, warningAt } from '../faults.ts'
import { type Budget, MOST_DEPTH } from '../limits.ts'
import { Float, isDict, isList, mapDict, type Value } from '../values.ts'
import { interpolate, type Lookup } from '../variables/interpolate.ts'
import { choose } from './check.ts'
import type { Leaf, Shape } from './kinds.ts'

export type Filling = { lookup: Lookup; budget: Budget; warn(warning: Warning): void }

/** Fills variables in everywhere, and reads text as a flag or a number where the shape asks for one. */
export function fillIn(value: Value, shape: Shape | undefined, place: Place, filling: Filling): Value {
  filling.budget.spend('values')
  if (place.path.length > MOST_DEPTH) return value
  const fitting = shape && choose(value, shape)
  if (typeof value === 'string') {
    if (value.includes('\0'))
      throw fault(place, 'it contains a NUL character', 'Remove it: no program can be given one.')
    const text = interpolate(value, { ...filling, place, missing: (name) => filling.warn(unset(place, name)) })
    return fitting?.kind === 'leaf' && fitting.cast ? cast(text, fitting, place, filling) : text
  }
  if (isList(value)) {
    const of = fitting?.kind === 'list' ? fitting.of : undefined
    return value.map((item, n) => fillIn(item, of, at(place, n), filling))
  }
  if (!isDict(value)) return value
  const dict = fitting?.kind === 'dict' ? fitting : undefined
  return mapDict(value, (inner, key) => {
    const of = dict && Object.hasOwn(dict.fields, key) ? dict.fields[key] : dict?.named?.shape
    return fillIn(inner, of, at(place, key), filling)
  })
}

const unset = (place: Place, name: string): Warning =>
  warningAt(place.path, `The variable ${name} is not set; it is taken as empty.`)

const TRUE = /^(true|y|yes|on)$/i
const FALSE = /^(false|n|no|off)$/i

function cast(text: string, { form }: Leaf, place: Place, { warn }: Filling): Value {
  if (form === 'flag') {
    if (!TRUE.test(text) && !FALSE.test(text)) throw notA('true or false', text, place)
    const value = TRUE.test(text)
    if (!/^(true|false)$/i.test(text)) warn(warningAt(place.path, `${quoted(text)} is read as ${value}.`))
    return value
  }
  if (form === 'integer') {
    if (!/^[-+]?\d{1,18}$/.test(text)) throw notA('a whole number', text, place)
    return Number(text)
  }
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw notA('a number', text, place)
  return new Float(Number(text))
}

const notA = (what: string, text: string, place: Place) =>
  fault(place, `${quoted(text)} is not ${what}`, `Write ${what}, or check the variables that it is made of.`)
