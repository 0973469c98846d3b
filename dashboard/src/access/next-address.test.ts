import { expect, test } from 'vitest'
import { nextAddress } from './next-address.ts'

test('whoever had to sign in comes back to the very page', () => {
  expect(nextAddress('/deployments?status=failed')).toBe('/deployments?status=failed')
})

test('no link leads to another site by way of the sign-in', () => {
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
  ]
  for (const said of [...elsewhere, '', undefined, 7, 'deployments'])
    expect([said, nextAddress(said)]).toEqual([said, '/'])
})

test('signing in does not lead to signing in', () => {
  expect(nextAddress('/sign-in?next=/sign-in')).toBe('/')
})
