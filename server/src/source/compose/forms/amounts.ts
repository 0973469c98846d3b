const UNITS = { b: 0, k: 1, m: 2, g: 3, t: 4, p: 5 } as const
const SIZE = /^(\d+(?:\.\d+)*) ?(?:([kKmMgGtTpP])[iI]?[bB]?|[iI]?[bB])?$/

/** `512m` in bytes; undefined where it is no size. */
export function bytesOf(text: string): number | undefined {
  const [, digits, unit] = SIZE.exec(text) ?? []
  const amount = Number(digits)
  if (digits === undefined || Number.isNaN(amount)) return undefined
  return Math.trunc(amount * 1024 ** UNITS[(unit ?? 'b').toLowerCase() as keyof typeof UNITS])
}

const NANOSECONDS: Record<string, bigint> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const LONGEST = 2n ** 63n - 1n

/** `1m30s` in nanoseconds; undefined where it is no duration. */
export function nanosecondsOf(text: string): bigint | undefined {
  const [, sign = '', rest = ''] = /^([-+]?)(.*)$/.exec(text) ?? []
  if (rest === '0') return 0n
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const size = NANOSECONDS[unit] ?? 1n
    total += BigInt(whole || '0') * size
    if (fraction !== '') total += (BigInt(fraction.slice(0, 18)) * size) / 10n ** BigInt(Math.min(fraction.length, 18))
  }
  return total > LONGEST ? undefined : sign === '-' ? -total : total
}

/** Nanoseconds as compose writes them: `1h2m3.5s`, `500ms`, `0s`. */
export function durationText(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${durationText(-nanoseconds)}`
  if (nanoseconds === 0n) return '0s'
  if (nanoseconds < 1000n) return `${nanoseconds}ns`
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1000n)}µs`
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 1_000_000n)}ms`
  const minutes = nanoseconds / 60_000_000_000n
  const seconds = decimal(nanoseconds % 60_000_000_000n, 1_000_000_000n)
  const hours = minutes / 60n
  return `${hours > 0n ? `${hours}h` : ''}${minutes > 0n ? `${minutes % 60n}m` : ''}${seconds}s`
}

function decimal(amount: bigint, unit: bigint): string {
  const fraction = (amount % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return `${amount / unit}${fraction === '' ? '' : `.${fraction}`}`
}

/** The shortest number that means the same in 32 bits, which is how compose keeps shares of a processor. */
export function shortFloat(value: number): number {
  for (let digits = 1; digits < 10; digits++) {
    const shorter = Number(Math.fround(value).toPrecision(digits))
    if (Math.fround(shorter) === Math.fround(value)) return shorter
  }
  return value
}
