import { expect, test } from 'vitest'
import { pendingInWords } from './pending.ts'

const one = (name: string, change: 'added' | 'changed' | 'removed') => ({
  name,
  change,
  service: null,
  scope: 'all' as const,
})

test('what waits for the next deployment is told by name, and of many as many as one reads', () => {
  expect(pendingInWords([one('A', 'changed'), one('B', 'changed'), one('C', 'removed')])).toBe(
    'A and B changed, C removed',
  )
  expect(pendingInWords([one('NEW', 'added')])).toBe('NEW added')
  const many = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => one(name, 'changed'))
  expect(pendingInWords(many)).toBe('A, B, C, D and 2 more changed')
})

test('one name of several services is said once', () => {
  expect(pendingInWords([one('A', 'changed'), { ...one('A', 'changed') }])).toBe('A changed')
})
