import { expect, test } from 'vitest'
import { type Sample, usageOf } from './usage.ts'

const at = (second: number, cpuSeconds: number, more: Partial<Sample> = {}): Sample => ({
  read: new Date(second * 1000).toISOString(),
  cpu_stats: { cpu_usage: { total_usage: cpuSeconds * 1_000_000_000 } },
  memory_stats: {},
  ...more,
})

test('without a limit, 100 percent is one core', () => {
  expect(usageOf(at(10, 5), at(12, 6), {}).cpuPercent).toBe(50)
  expect(usageOf(at(10, 5), at(12, 9), {}).cpuPercent).toBe(200)
})

test('with a limit, 100 percent is the limit', () => {
  expect(usageOf(at(10, 5), at(12, 6), { cpus: 0.5 }).cpuPercent).toBe(100)
})

test('two samples of the same moment are no division by zero', () => {
  expect(usageOf(at(10, 5), at(10, 5), {}).cpuPercent).toBe(0)
})

test('memory is without the inactive file cache, under both kinds of cgroup', () => {
  const v1 = at(12, 6, { memory_stats: { usage: 1000, stats: { total_inactive_file: 300, inactive_file: 10 } } })
  const v2 = at(12, 6, { memory_stats: { usage: 1000, stats: { inactive_file: 400 } } })
  expect(usageOf(at(10, 5), v1, {}).memoryBytes).toBe(700)
  expect(usageOf(at(10, 5), v2, { memoryBytes: 5000 })).toMatchObject({ memoryBytes: 600, memoryLimitBytes: 5000 })
})

test('traffic is the sum over all networks', () => {
  const networks = { eth0: { rx_bytes: 1, tx_bytes: 2 }, eth1: { rx_bytes: 10, tx_bytes: 20 } }
  expect(usageOf(at(10, 5), at(12, 6, { networks }), {})).toMatchObject({ networkRxBytes: 11, networkTxBytes: 22 })
})
