import { expect, test } from 'vitest'
import { addressOf, isInClear, localAddress } from './address.ts'

test.each([
  [{}, 'http://127.0.0.1:4600'],
  [{ SLIPWAY_PORT: '4711' }, 'http://127.0.0.1:4711'],
  [{ SLIPWAY_HOST: '0.0.0.0', SLIPWAY_PORT: '80' }, 'http://127.0.0.1:80'],
  [{ SLIPWAY_HOST: '::1' }, 'http://[::1]:4600'],
])('when nobody says which instance, the one of this environment is asked: %j', (env, url) => {
  expect(localAddress(env)).toBe(url)
})

test.each([
  ['slipway.example.com', 'https://slipway.example.com'],
  ['slipway.example.com:8443/some/page', 'https://slipway.example.com:8443'],
  ['http://10.0.0.1:4600/', 'http://10.0.0.1:4600'],
  ['localhost:4600', 'http://localhost:4600'],
  ['127.0.0.1', 'http://127.0.0.1'],
])('%s is meant as %s', (typed, url) => {
  expect(addressOf(typed)).toBe(url)
})

test.each(['ftp://example.com', 'https://', 'https://ada:secret@example.com', 'a b'])('%s is no address', (typed) => {
  expect(() => addressOf(typed)).toThrow(/address/)
})

test('only plain http to another machine can be read on the line', () => {
  expect(isInClear('http://example.com')).toBe(true)
  expect(isInClear('http://127.0.0.1:4600')).toBe(false)
  expect(isInClear('https://example.com')).toBe(false)
})
