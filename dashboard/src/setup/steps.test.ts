import { expect, test } from 'vitest'
import { type Found, isSetUp, setupSteps } from './steps.ts'

const NOTHING: Found = { servers: [], projects: 0, isConnected: false, destinations: 0 }
const done = (found: Partial<Found>) =>
  setupSteps({ ...NOTHING, ...found }).flatMap(({ name, isDone }) => (isDone ? [name] : []))

test('a server counts when its check went well, not when it was only added', () => {
  expect(done({ servers: [{ name: 'fra-1', ok: null }] })).toEqual(['you'])
  expect(done({ servers: [{ name: 'fra-1', ok: false }] })).toEqual(['you'])
  expect(
    done({
      servers: [
        { name: 'fra-1', ok: false },
        { name: 'here', ok: true },
      ],
    }),
  ).toEqual(['you', 'server'])
})

test('a server and something to deploy are enough; git host and backups may come later', () => {
  const steps = setupSteps({ ...NOTHING, servers: [{ name: 'here', ok: true }], projects: 1 })
  expect(isSetUp(steps)).toBe(true)
  expect(isSetUp(setupSteps({ ...NOTHING, projects: 1, isConnected: true, destinations: 1 }))).toBe(false)
})
