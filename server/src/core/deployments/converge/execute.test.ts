import { setTimeout as later } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DriverFailure } from '../../../errors.ts'
import { patiently } from '../release/lost-lines.ts'
import { machinesOn, type Place } from './execute.ts'
import { NO_NAMES } from './names.ts'

/** As when a process is told to stop: all that was asked ends, one after the other, for the same reason. */
const stopped = (after: number) => later(after).then(() => Promise.reject(new Error('stopped')))

test('a look that fails twice is told once, and nobody is left with the other failure', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', hear)
  const place = {
    ...{ engine: {}, server: 'srv', project: 'prj', specs: [], patienceMs: 0 },
    runtime: { snapshot: () => stopped(0) },
    names: { observe: () => stopped(20), lead: async () => {} },
  } as unknown as Place
  await expect(machinesOn(place).observe(AbortSignal.timeout(1000))).rejects.toThrow('stopped')
  await later(60)
  process.off('unhandledRejection', hear)
  expect(unheard).toEqual([])
})

test('an operation whose line was lost is done again before anybody calls it failed', async () => {
  const lost = new DriverFailure('ssh', 'connection_lost', 'The connection was lost.', { hint: 'Try again.' })
  let tries = 0
  const removed = async () => {
    tries += 1
    if (tries === 1) throw lost
  }
  const events = { write: () => {} } as never
  const place = {
    ...{ engine: {}, server: 'srv', project: 'prj', specs: [], patienceMs: 0, names: NO_NAMES },
    runtime: { remove: removed },
    patiently: patiently({ events }, 'rollout'),
    explain: async () => lost,
  } as unknown as Place
  const remove = { kind: 'remove', id: 'remove web', after: [], server: 'srv', service: 'web', deployment: 'dep_1' }
  const options = { guard: async () => {}, signal: AbortSignal.timeout(10_000) }
  await expect(machinesOn(place).act(remove as never, options)).resolves.toEqual({ ok: true })
  expect(tries).toBe(2)
})
