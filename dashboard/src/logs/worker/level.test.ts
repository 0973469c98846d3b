import { expect, test } from 'vitest'
import { LEVELS, levelOf } from './level.ts'

const of = (text: string, isStderr = false) => LEVELS[levelOf(text, isStderr)]

test('a line is an error where it begins so, or was printed as one', () => {
  expect(of('error: no space left')).toBe('error')
  expect(of('npm ERR! code ERESOLVE', true)).toBe('plain')
  expect(of('npm error code ERESOLVE')).toBe('error')
  expect(of('request failed, trying again')).toBe('warn')
  expect(of('request failed', true)).toBe('error')
})

test('a warning is one by its word, and a count of none is good news', () => {
  expect(of('warning: uses a deprecated entry point')).toBe('warn')
  expect(of('Found 0 errors and no warnings')).toBe('plain')
  expect(of('step 4 checkout resolved')).toBe('plain')
})
