import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong with a field, in our own words; a schema's own message is one already. */
export function sentence(issue: Issue | undefined): string {
  if (!issue) return 'is not valid'
  return isOurs(issue.message) ? issue.message : (wordsFor(issue) ?? 'is not valid')
}

/** How the library begins when nobody has said anything else. */
const THEIRS = /^(Invalid|Too (small|big)|Unrecognized)\b/
const isOurs = (message: string) => !THEIRS.test(message)

function wordsFor(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return ofType(issue)
  if (issue.code === 'too_small') return bound(issue.origin, 'at least', issue.minimum)
  if (issue.code === 'too_big') return bound(issue.origin, 'at most', issue.maximum)
  if (issue.code === 'invalid_value') return `must be ${listed(issue.values.map(String))}`
  if (issue.code === 'invalid_format') return `must be ${FORMATS[issue.format] ?? 'of another form'}`
  if (issue.code === 'not_multiple_of') return `must be a multiple of ${issue.divisor}`
  if (issue.code === 'unrecognized_keys') return `has fields that are not known: ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_key') return 'has a name that cannot be used'
  if (issue.code === 'invalid_union') return ofUnion(issue)
  return undefined
}

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}
const FORMATS: Record<string, string> = {
  email: 'an email address',
  url: 'a web address',
  datetime: 'a date and time, such as 2026-01-31T12:00:00Z',
  base64: 'text in base64',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}
const MANY: Record<string, string> = {
  string: 'characters',
  array: 'entries',
  set: 'entries',
  object: 'fields',
  record: 'fields',
}

function ofType({ expected, message }: Extract<Issue, { code: 'invalid_type' }>): string {
  if (message.endsWith('received undefined')) return 'is required'
  return `must be ${TYPES[expected] ?? 'of another kind'}`
}

function bound(origin: string, which: 'at least' | 'at most', amount: number | bigint): string {
  const many = MANY[origin]
  if (many === undefined) return `must be ${which} ${amount}`
  if (which === 'at least' && Number(amount) === 1) return 'must not be empty'
  return `must have ${which} ${amount} ${many}`
}

/** The form that came nearest is the one meant: it got furthest before something was wrong. */
function ofUnion({ errors }: Extract<Issue, { code: 'invalid_union' }>): string | undefined {
  const nearest = errors
    .flatMap((issues) => issues.slice(0, 1))
    .toSorted((a, b) => b.path.length - a.path.length)
    .at(0)
  if (!nearest || nearest.path.length === 0) return 'fits none of the forms that it may have'
  return `${nearest.path.join('.')} ${sentence(nearest)}`
}

const listed = (values: string[]) =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
