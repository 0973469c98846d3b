import { describe, expect, test } from 'vitest'
import { limitWrites } from './writes.ts'

const limits = { memoryBytes: 1_000_000_000, cpus: 1.5, pids: 300 }

describe('the limits of a project', () => {
  test('go into three hierarchies on cgroup v1, memory with swap never below memory alone', () => {
    const { binds, writes } = limitWrites({ SwapLimit: true }, 'slipway/prj_x', limits)
    expect(binds).toEqual([
      '/sys/fs/cgroup/memory/slipway/prj_x:/limits/memory',
      '/sys/fs/cgroup/cpu/slipway/prj_x:/limits/cpu',
      '/sys/fs/cgroup/pids/slipway/prj_x:/limits/pids',
    ])
    expect(writes).toEqual([
      ['/limits/memory/memory.memsw.limit_in_bytes', '9223372036854771712'],
      ['/limits/memory/memory.limit_in_bytes', '999948288'],
      ['/limits/memory/memory.memsw.limit_in_bytes', '999948288'],
      ['/limits/cpu/cpu.cfs_period_us', '100000'],
      ['/limits/cpu/cpu.cfs_quota_us', '150000'],
      ['/limits/pids/pids.max', '300'],
    ])
  })

  test('go into one folder on cgroup v2, after the controllers were handed down to it', () => {
    const { binds, writes } = limitWrites({ CgroupVersion: '2', SwapLimit: true }, 'slipway/prj_x', limits)
    expect(binds).toEqual([
      '/sys/fs/cgroup/cgroup.subtree_control:/limits/controllers',
      '/sys/fs/cgroup/slipway:/limits/all',
      '/sys/fs/cgroup/slipway/prj_x:/limits/project',
    ])
    expect(writes).toEqual([
      ['/limits/controllers', '+cpu +memory +pids'],
      ['/limits/all/cgroup.subtree_control', '+cpu +memory +pids'],
      ['/limits/project/memory.max', '999948288'],
      ['/limits/project/memory.swap.max', '0'],
      ['/limits/project/cpu.max', '150000 100000'],
      ['/limits/project/pids.max', '300'],
    ])
  })

  test('do without swap where the kernel does not count it', () => {
    for (const CgroupVersion of ['1', '2']) {
      const files = limitWrites({ CgroupVersion }, 'slipway/prj_x', limits).writes.map(([file]) => file)
      expect(files.filter((file) => /swap|memsw/.test(file))).toEqual([])
    }
  })
})
