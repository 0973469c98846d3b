import { Float, Moment, type Scalar } from '../values.ts'

const WORDS = new Map<string, Scalar>([
  ['', null],
  ['~', null],
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['.nan', new Float(Number.NaN)],
  ['.NaN', new Float(Number.NaN)],
  ['.NAN', new Float(Number.NaN)],
  ...['', '+', '-'].flatMap((sign) =>
    ['.inf', '.Inf', '.INF'].map((word): [string, Scalar] => [sign + word, new Float(Number(`${sign}Infinity`))]),
  ),
])

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))$/
const SMALLEST = -(2n ** 63n)
const LARGEST = 2n ** 64n - 1n

/**
 * What a word without quotes means, as compose's own YAML reader has it: 1.2, except that `010` is eight, `1_000` is a
 * number and `2024-01-02` is a date. `yes`, `on` and `22:22` are text.
 */
export function plainScalar(word: string): Scalar {
  const known = WORDS.get(word)
  if (known !== undefined) return known
  if (word.startsWith('.')) return FLOAT.test(word) ? float(word, word) : word
  if (!/^[-+0-9]/.test(word)) return word
  const moment = momentOf(word)
  if (moment) return moment
  const digits = word.replaceAll('_', '')
  return integer(digits) ?? (FLOAT.test(digits) ? float(digits, word) : word)
}

function integer(digits: string): number | bigint | undefined {
  const [, sign, hex, binary, octal, decimal] = INTEGER.exec(digits) ?? []
  const prefixed = hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : decimal
  if (prefixed === undefined) return undefined
  const whole = sign === '-' ? -BigInt(prefixed) : BigInt(prefixed)
  if (whole < SMALLEST || whole > LARGEST) return undefined
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

function float(digits: string, word: string): Float | string {
  const value = Number(digits)
  return Number.isFinite(value) ? new Float(value) : word
}

const DATE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt]| +)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?(Z|[-+]\d\d:\d\d)?)?$/

function momentOf(word: string): Moment | undefined {
  const [, year, month, day, gap, hour = '0', minute = '0', second = '0', fraction = '', zone] = DATE.exec(word) ?? []
  if (year === undefined) return undefined
  // A zone needs a T before the time, and a T needs a zone.
  if (gap !== undefined && /[Tt]/.test(gap) !== (zone !== undefined)) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  date.setUTCFullYear(Number(year))
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const pad = (text: string | undefined) => String(text).padStart(2, '0')
  const part = fraction.replace(/0+$/, '')
  const clock = `${pad(hour)}:${pad(minute)}:${pad(second)}${part === '' ? '' : `.${part}`}`
  const offset = zone === undefined || zone === 'Z' || /00:00$/.test(zone) ? undefined : zone.replace(':', '')
  return new Moment(`${year}-${pad(month)}-${pad(day)} ${clock} ${offset ? `${offset} ${offset}` : '+0000 UTC'}`)
}
