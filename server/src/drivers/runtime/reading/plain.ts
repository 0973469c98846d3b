/**
 * What an engine answers is what somebody else's machine says: every value is looked at before it is believed, and what
 * has another form than it should counts as nothing. Records have no prototype: `__proto__` is a variable's name like any other.
 */
export type Raw = unknown

export const text = (value: Raw): string => (typeof value === 'string' ? value : '')
export const number = (value: Raw): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
export const flag = (value: Raw): boolean => value === true
export const list = (value: Raw): Raw[] => (Array.isArray(value) ? value : [])
export const texts = (value: Raw): string[] => list(value).filter((one) => typeof one === 'string')

/** The members of an object; of anything else, none. */
export function dict(value: Raw): Record<string, Raw> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Object.create(null)
  return value as Record<string, Raw>
}

export const pairs = (value: Raw): [string, Raw][] => Object.entries(dict(value))

export function textDict(value: Raw): Record<string, string> {
  const result: Record<string, string> = Object.create(null)
  for (const [name, one] of pairs(value)) if (typeof one === 'string') result[name] = one
  return result
}

/** Null where nothing is said, as opposed to an empty list. */
export const textsOrNull = (value: Raw): string[] | null => (Array.isArray(value) ? texts(value) : null)
