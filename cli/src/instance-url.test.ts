import { expect, test } from 'vitest'
import { instanceUrl } from './instance-url.ts'

test.each([
  [{}, 'http://127.0.0.1:4600'],
  [{ SLIPWAY_PORT: '4711' }, 'http://127.0.0.1:4711'],
  [{ SLIPWAY_HOST: '0.0.0.0', SLIPWAY_PORT: '80' }, 'http://127.0.0.1:80'],
  [{ SLIPWAY_HOST: '::1' }, 'http://[::1]:4600'],
  [{ SLIPWAY_PORT: '4711', SLIPWAY_URL: 'https://deploy.example.com' }, 'https://deploy.example.com'],
])('the command asks the instance of its environment: %j', (env, url) => {
  expect(instanceUrl(env)).toBe(url)
})
