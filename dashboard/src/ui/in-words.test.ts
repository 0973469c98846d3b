import { expect, test } from 'vitest'
import { ageInWords, counted, durationInWords } from './in-words.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

test('durations are as exact as one wants to read them', () => {
  const said = [-5, 0, 900, 3600, 9949, 9950, 56 * SECOND, 59_499, 69 * SECOND, 125 * MINUTE].map(durationInWords)
  expect(said).toEqual(['0 ms', '0 ms', '900 ms', '3.6 s', '9.9 s', '10 s', '56 s', '59 s', '1 m 09 s', '2 h 05 m'])
})

test('an age is never in the future', () => {
  const said = [-5 * MINUTE, 0, 59 * SECOND, MINUTE, 59 * MINUTE, 60 * MINUTE, 26 * 60 * MINUTE].map(ageInWords)
  expect(said).toEqual(['just now', 'just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '1 d ago'])
})

test('one of something is one', () => {
  expect([counted(1, 'file'), counted(2000, 'file'), counted(0, 'copy', 'copies')]).toEqual([
    ...['1 file', '2,000 files', '0 copies'],
  ])
})
