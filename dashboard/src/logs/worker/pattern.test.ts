import { expect, test } from 'vitest'
import { isRegex, patternOf } from './pattern.ts'

const finds = (find: string, text: string) =>
  patternOf(find)
    ?.ranges(text)
    .map(([from, to]) => text.slice(from, to))

test('lower case finds both, and a capital means it', () => {
  expect(finds('error', 'Error, error, ERROR')).toEqual(['Error', 'error', 'ERROR'])
  expect(finds('Error', 'Error, error, ERROR')).toEqual(['Error'])
  expect(patternOf('Error')?.test('error')).toBe(false)
})

test('between slashes it is a regular expression; what is no good one is searched for as written', () => {
  expect(finds('/E\\d+/', 'E12 e13')).toEqual(['E12'])
  expect(finds('/e\\d+/i', 'E12 e13')).toEqual(['E12', 'e13'])
  expect(finds('/(/', 'a /(/ b')).toEqual(['/(/'])
  expect([isRegex('/a/'), isRegex('/a/i'), isRegex('/a'), isRegex('a/b/c')]).toEqual([true, true, false, false])
})

test('signs of regular expressions mean themselves in a plain search', () => {
  expect(finds('a.b(c)[0]*', 'aXb(c)[0]* a.b(c)[0]*')).toEqual(['a.b(c)[0]*'])
  expect(patternOf('')).toBeNull()
})

test('a pattern that finds nothing everywhere ends', () => {
  expect(finds('/x*/', 'aaa')).toEqual([])
})
