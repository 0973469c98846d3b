import { expect, test } from 'vitest'
import { isHereOnly } from './here-only.ts'

test('an address that means whichever machine opens it is told from one that others reach', () => {
  const here = ['http://127.0.0.1:4600/join#x', 'http://[::1]/', 'http://localhost', 'hello.localhost', 'localhost']
  expect(here.filter((at) => !isHereOnly(at))).toEqual([])
  const anywhere = [
    'https://slipway.example.com/join#x',
    'hello.apps.test',
    'localhost.example.com',
    'http://10.0.0.1/',
    '127.example.com',
  ]
  expect(anywhere.filter(isHereOnly)).toEqual([])
})
