/** What a YAML file can say. Integers are numbers, or big integers where a number would round. */
export type Scalar = null | boolean | number | bigint | string | Float | Moment
export type Value = Scalar | Value[] | Dict
export type Dict = { [key: string]: Value }

/** Told apart from an integer: written as text, `1e9` and `1000000000` differ. */
export class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** A date that nobody put in quotes. Only where any text will do may it stand. */
export class Moment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const isList = (value: Value | undefined): value is Value[] => Array.isArray(value)

export const isDict = (value: Value | undefined): value is Dict =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Float) &&
  !(value instanceof Moment)

/** Without a prototype: a key named `__proto__` is a key like any other. */
export const emptyDict = (): Dict => Object.create(null) as Dict

/** By a key that the user chose: what objects inherit is not there. */
export const own = <T>(table: { [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

export function dictOf(entries: Iterable<readonly [string, Value | undefined]>): Dict {
  const dict = emptyDict()
  for (const [key, value] of entries) if (value !== undefined) dict[key] = value
  return dict
}

export const mapDict = (dict: Dict, change: (value: Value, key: string) => Value | undefined): Dict =>
  dictOf(Object.entries(dict).map(([key, value]) => [key, change(value, key)] as const))

/** A scalar where compose wants text, written as compose writes it. */
export function textOf(value: Scalar): string {
  if (value === null) return ''
  if (value instanceof Moment) return value.text
  return value instanceof Float ? floatText(value.value) : String(value)
}

/** JavaScript writes exponents from 21 digits on, compose from 7. */
function floatText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [digits = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 6) return String(value)
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Equal for equal values, whatever the order of their keys. */
export function fingerprint(value: Value): string {
  if (isList(value)) return `[${value.map(fingerprint).join(',')}]`
  if (isDict(value)) {
    const keys = Object.keys(value).sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${fingerprint(value[key] as Value)}`).join(',')}}`
  }
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Moment) return `moment ${value.text}`
  return value instanceof Float ? `float ${value.value}` : String(value)
}
