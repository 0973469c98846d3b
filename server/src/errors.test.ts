import { expect, test } from 'vitest'
import { DriverFailure, isFailure, Refusal } from './errors.ts'

const missing = new DriverFailure('edge', 'edge_missing', 'There is no edge.', { hint: 'Set it up.' })

test('a failure is told apart by its driver and its code', () => {
  expect(isFailure(missing, 'edge')).toBe(true)
  expect(isFailure(missing, 'edge', 'edge_timeout', 'edge_missing')).toBe(true)
  expect(isFailure(missing, 'edge', 'edge_timeout')).toBe(false)
  expect(isFailure(missing, 'runtime', 'edge_missing')).toBe(false)
})

test('what only looks like a failure of a driver is none', () => {
  const alike = Object.assign(new Error('There is no edge.'), {
    driver: 'edge',
    code: 'edge_missing',
    hint: 'Set it up.',
  })
  for (const other of [alike, new Refusal('not_found', 'No such edge.'), undefined, 'edge_missing'])
    expect(isFailure(other, 'edge')).toBe(false)
})
