import { expect, test } from 'vitest'
import { askAt, follow, land, type Open } from './advance.ts'

let count = 0
const move = (before: string | null, after: string | null, more: Partial<Open> = {}): Open => ({
  id: `${before}${after}`,
  before,
  after,
  receivedAt: new Date(1_000_000 + count++),
  attempts: 0,
  ...more,
})
const ids = (list: { id: string }[]) => list.map(({ id }) => id)

test('deliveries in the wrong order sort themselves out', () => {
  const { sha, taken, left } = follow('a', [move('c', 'd'), move('b', 'c'), move('a', 'b')])
  expect([sha, ids(taken), left]).toEqual(['d', ['ab', 'bc', 'cd'], []])
})

test('one that tells what is known changes nothing', () => {
  expect(follow('b', [move('a', 'b')])).toMatchObject({ sha: 'b', taken: [], known: [{ id: 'ab' }] })
})

test('a forced return to an older commit is a move, also beside the move away from it', () => {
  expect(follow('a', [move('b', 'a'), move('a', 'b')])).toMatchObject({ sha: 'a', taken: [{ id: 'ab' }, { id: 'ba' }] })
})

test('the same move told by two hooks is one move', () => {
  const { sha, taken, known } = follow('a', [move('a', 'b'), move('b', 'c'), move('a', 'b', { id: 'twin' })])
  expect([sha, ids(taken), ids(known)]).toEqual(['c', ['ab', 'bc'], ['twin']])
})

test('a branch that was deleted and made again is where it was made', () => {
  expect(follow('a', [move(null, 'b'), move('a', null)]).sha).toBe('b')
})

test('what does not follow is left, and the host is asked about it when the gap did not fill', () => {
  const { sha, left } = follow('a', [move('b', 'c', { receivedAt: new Date(5000) })])
  expect([sha, ids(left), askAt(left)]).toEqual(['a', ['bc'], new Date(7000)])
})

test('deliveries that lead to the answer of the host are explained by it', () => {
  const step = land('e', [move('c', 'd'), move('d', 'e'), move('x', 'y')], new Set(['a']))
  expect([ids(step.taken), ids(step.left)]).toEqual([['cd', 'de'], ['xy']])
})

test('one from where the branch was before is older than the head; others are asked about again', () => {
  const step = land('e', [move('a', 'b'), move('x', 'y', { attempts: 1, receivedAt: new Date(0) })], new Set(['a']))
  expect([ids(step.known), ids(step.left), askAt(step.left)]).toEqual([['ab'], ['xy'], new Date(2000)])
  expect(land('e', [move('x', 'y', { attempts: 4 })], new Set()).known).toMatchObject([
    { reason: 'older than the head' },
  ])
})
