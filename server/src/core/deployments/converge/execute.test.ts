import { setTimeout as later } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { machinesOn, type Place } from './execute.ts'

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
