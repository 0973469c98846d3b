import { expect, test } from 'vitest'
import { configAfter, SERVICE_FIELDS, SERVICE_PATHS, shownIn } from './service-fields.ts'

const BEFORE = {
  build: { context: '.', target: 'run' },
  command: ['node', 'server.js'],
  dependsOn: ['db'],
  replicas: 2,
  exposed: false,
  ports: [5432, '8080:80'],
  healthcheck: { path: '/healthz', command: ['true'], intervalMs: 1500 },
}
const fields = Object.values(SERVICE_FIELDS).flat()
const shown = Object.fromEntries(fields.map((field) => [field.path, shownIn(BEFORE, field)]))
const after = (change: Record<string, string>) => configAfter(BEFORE, (path) => ({ ...shown, ...change })[path] ?? '')

test('a form that nobody changed says what was there, also what it has no field for', () => {
  expect(after({})).toEqual(BEFORE)
})

test('an empty field says nothing any more, and a health check without a word is none', () => {
  const { replicas: _, ...rest } = BEFORE
  expect(after({ replicas: '' })).toEqual(rest)
  const empty = configAfter({ replicas: 1, healthcheck: { path: '/' } }, () => '')
  expect(empty).toEqual({})
})

test('numbers are numbers, seconds are sent as milliseconds, and a port alone is a number', () => {
  expect(
    after({ memoryMb: '512', 'healthcheck.intervalMs': '2.5', exposed: 'true', ports: '80\n\n 443:443 ' }),
  ).toMatchObject({
    memoryMb: 512,
    exposed: true,
    ports: [80, '443:443'],
    healthcheck: { intervalMs: 2500, command: ['true'] },
  })
})

test('every field has a place of its own', () => {
  expect(new Set(SERVICE_PATHS).size).toBe(fields.length)
})
