import { expect, test } from 'vitest'
import { isElsewhere } from './listening.ts'

const open = (...ports: (number | string)[]) => ({
  expected: 8080,
  open: ports.map((one) => ({ port: Number.parseInt(String(one), 10), local: String(one).endsWith('/local') })),
})

test('a port is known to be wrong when others can reach another one, or nobody the right one', () => {
  expect(isElsewhere(open(80))).toBe(true)
  expect(isElsewhere(open(80, '9229/local'))).toBe(true)
  expect(isElsewhere(open('8080/local'))).toBe(true)
  // It may be late, or what is open belongs to its runtime.
  expect(isElsewhere(open())).toBe(false)
  expect(isElsewhere(open('9229/local'))).toBe(false)
})
