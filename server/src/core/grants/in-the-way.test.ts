import { expect, test } from 'vitest'
import type { Occupant } from '../../drivers/runtime/reading/occupants.ts'
import { inTheWay } from './in-the-way.ts'

const one = (change: Partial<Occupant>): Occupant => ({
  kind: 'container',
  name: 'db',
  state: 'exited',
  exitCode: 0,
  restart: 'no',
  holds: ['the volume data'],
  ...change,
})

test.each([
  ['runs', { state: 'running' }],
  ['is paused', { state: 'paused' }],
  ['restarts', { state: 'restarting' }],
  ['comes back with the engine', { restart: 'always' }],
  ['was stopped by hand and counts as failed', { restart: 'on-failure', exitCode: 137 }],
  ['is a Swarm service with replicas', { kind: 'service' as const, state: 'running', restart: 'always' }],
])('what %s is in the way, by its name', (_, change) => {
  const found = inTheWay([one(change)])
  expect(found?.names).toEqual(['db'])
  expect(found?.message).toContain('db')
  expect(found?.hint).toMatch(/docker (stop|update|service)/)
})

test.each([
  ['was stopped and stays so', { restart: 'unless-stopped' }],
  ['has ended and is not started again', { restart: 'no', exitCode: 1 }],
  ['has ended well', { restart: 'on-failure', exitCode: 0 }],
  ['was never started', { state: 'created', restart: 'always' }],
  ['is a Swarm service without replicas', { kind: 'service' as const, state: 'stopped', restart: 'always' }],
])('what %s is not', (_, change) => expect(inTheWay([one(change)])).toBeNull())

test('the way out keeps what would come back from coming back before it is stopped', () => {
  const hint = inTheWay([
    one({ state: 'running', restart: 'always' }),
    one({ name: 'api', kind: 'service', state: 'running' }),
  ])?.hint
  expect(hint).toContain('docker update --restart=no db, then docker stop db, then docker service scale api=0')
})
