import { expect, test } from 'vitest'
import { lanes } from './lanes.ts'

const take = (by: ReturnType<typeof lanes>, whose: string) => {
  const leaves: (() => void)[] = []
  for (let leave = by.enter('asking', whose); leave; leave = by.enter('asking', whose)) leaves.push(leave)
  return leaves
}

test('one alone holds half of the places, and whoever comes next finds room', () => {
  const by = lanes()
  const first = take(by, 'first')
  expect(first).toHaveLength(64)
  const held = ['second', 'third', 'fourth'].map((whose) => take(by, whose).length)
  expect(held).toEqual([32, 16, 8])
  expect(by.enter('asking', 'first')).toBeUndefined()
  expect(by.enter('waiting', 'first'), 'what is meant to wait has places of its own').toBeDefined()
})

test('who has left has nothing there, and leaves nothing behind', () => {
  const by = lanes()
  for (let round = 0; round < 3; round++) {
    const leaves = take(by, 'one')
    expect(leaves).toHaveLength(64)
    for (const leave of leaves) leave()
    expect(by.isEmpty()).toBe(true)
  }
})
