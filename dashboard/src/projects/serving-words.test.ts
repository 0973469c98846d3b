import { expect, test } from 'vitest'
import { servingInWords } from './serving-words.ts'

const ACTIVE = { id: 'dep_1', number: 146 }
const row = (change: object) => ({
  service: 'web',
  deploymentId: 'dep_1',
  number: 146,
  replicas: { wanted: 2, running: 2, healthy: 2 },
  since: null,
  asReleased: true,
  seenAt: '2026-01-01T00:00:00.000Z',
  ...change,
})
const said = (change: object) => servingInWords(row(change), ACTIVE)

test('all that should run and is healthy is said to be so, without a note', () => {
  expect(said({})).toEqual({ health: '2/2 healthy', tone: 'ok', note: null })
})

test('a part that is up needs somebody, and none that is up is bad', () => {
  expect(said({ replicas: { wanted: 2, running: 2, healthy: 1 } }).tone).toBe('ask')
  expect(said({ replicas: { wanted: 2, running: 0, healthy: 0 } }).tone).toBe('bad')
})

test('a service that is not what the active release has says so', () => {
  expect(said({ asReleased: false }).note).toBe('not what #146 has of it')
  expect(servingInWords(row({ asReleased: false }), null).note).toBe('of no active release')
})

test('what is being replaced is on its way out, and what is not there does not run', () => {
  expect(said({ replicas: { wanted: 0, running: 1, healthy: 1 } }).health).toBe('1 on the way out')
  expect(said({ deploymentId: null, number: null, replicas: { wanted: 0, running: 0, healthy: 0 } })).toEqual({
    health: 'Nothing runs',
    tone: 'bad',
    note: 'part of #146',
  })
})

test('a service that is meant to have no container is no fault', () => {
  expect(said({ replicas: { wanted: 0, running: 0, healthy: 0 } })).toMatchObject({
    health: 'Set to none',
    tone: 'idle',
  })
})
