import { expect, test } from 'vitest'
import { newId } from './ids.ts'

test('ids that one process makes sort as they were made, also within one millisecond', () => {
  const made = Array.from({ length: 20_000 }, () => newId('aud'))
  expect(made).toEqual(made.toSorted())
  expect(new Set(made).size).toBe(made.length)
  expect(made.every((id) => /^aud_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true)
})

test('an id of another moment is of that moment, and does not lead the others astray', () => {
  const before = newId('run')
  const old = newId('run', Date.now() - 60_000)
  expect(old < before).toBe(true)
  expect(newId('run') > before).toBe(true)
})
