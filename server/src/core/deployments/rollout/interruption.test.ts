import { expect, test } from 'vitest'
import { interruption } from './interruption.ts'

type Look = [at: number, running: number, old: number, upMs?: number]

test.each<[string, Look[], number]>([
  [
    'none, where the next one runs before the last one goes',
    [
      [0, 0, 1],
      [400, 1, 1],
      [800, 1, 0, 350],
    ],
    0,
  ],
  [
    'as long as the engine says where we heard of it later',
    [
      [0, 0, 1],
      [400, 0, 0],
      [6400, 1, 0, 4300],
    ],
    4300,
  ],
  [
    'no longer than it was seen: the task may have waited before',
    [
      [0, 0, 1],
      [400, 0, 0],
      [3400, 1, 0, 9000],
    ],
    3000,
  ],
  [
    'as seen where the engine does not say',
    [
      [0, 0, 1],
      [400, 0, 0],
      [3400, 1, 0],
    ],
    3000,
  ],
  [
    'with each relapse, as seen',
    [
      [0, 0, 1],
      [400, 0, 0],
      [3400, 1, 0, 2000],
      [4000, 0, 0, 2000],
      [5000, 1, 0, 2000],
    ],
    3000,
  ],
  [
    'of a relapse alone as long as it was seen: the engine tells how long the first start took',
    [
      [0, 0, 1],
      [400, 1, 1, 300],
      [800, 0, 0, 300],
      [8800, 1, 0, 300],
    ],
    8000,
  ],
])('an interruption is %s', (_, looks, expected) => {
  let at = 0
  const gap = interruption(() => at)
  for (const [now, running, old, upMs = null] of looks) {
    at = now
    gap.see({ running, old }, upMs)
  }
  expect(gap.ms()).toBe(expected)
})
