import { expect, test } from 'vitest'
import { withLook } from './use-minute.ts'

const look = (taskId: string, cpuPercent: number, service = 'web') => ({
  service,
  taskId,
  containerId: `c-${taskId}`,
  cpuPercent,
  memoryBytes: 1,
  memoryLimitBytes: null,
  networkRxBytes: 0,
  networkTxBytes: 0,
})

test('a minute of looks is kept of each container, and no more', () => {
  let minute = withLook([], [look('a', 0)])
  for (let n = 1; n < 30; n++) minute = withLook(minute, [look('a', n)])
  expect(minute[0]?.samples.map(({ cpuPercent }) => cpuPercent)).toEqual(Array.from({ length: 20 }, (_, n) => n + 10))
})

test('a container that is gone is not shown, and a new one begins with what it is now', () => {
  const minute = withLook(withLook([], [look('a', 1)]), [look('b', 2)])
  expect(minute.map(({ taskId, samples }) => [taskId, samples.length])).toEqual([['b', 1]])
})

test('containers stand in the order of their services, whichever the engine names first', () => {
  expect(withLook([], [look('x', 1, 'web'), look('y', 1, 'api')]).map(({ service }) => service)).toEqual(['api', 'web'])
})
