import { expect, test } from 'vitest'
import { z } from 'zod'
import { sentence } from './sentence.ts'

const said = (schema: z.ZodType, value: unknown) => sentence(schema.safeParse(value).error?.issues[0])

test.each([
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(8), 'short', 'must have at least 8 characters'],
  [z.string().max(3), 'long', 'must have at most 3 characters'],
  [z.string(), 7, 'must be text'],
  [z.object({ a: z.string() }), {}, 'is required'],
  [z.coerce.number(), 'abc', 'must be a number'],
  [z.number().int(), 1.5, 'must be a whole number'],
  [z.number().min(1).max(9), 0, 'must be at least 1'],
  [z.number().min(1).max(9), 10, 'must be at most 9'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entries'],
  [z.enum(['a', 'b', 'c']), 'x', 'must be a, b or c'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.email(), 'nobody', 'must be an email address'],
  [z.iso.datetime(), 'today', 'must be a date and time, such as 2026-01-31T12:00:00Z'],
  [z.strictObject({ a: z.string().optional() }), { b: 1, c: 2 }, 'has fields that are not known: b, c'],
  [z.union([z.string(), z.object({ context: z.string().min(1) })]), { context: '' }, 'must not be empty'],
  [z.union([z.string(), z.number()]), true, 'fits none of the forms that it may have'],
  [z.string().regex(/^a/, 'must begin with a'), 'b', 'must begin with a'],
])('%#: what is wrong is said in words of our own', (schema, value, words) => {
  expect(said(schema, value)).toBe(words)
})
