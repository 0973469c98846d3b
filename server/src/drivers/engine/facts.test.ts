import { describe, expect, test } from 'vitest'
import { negotiate } from './connect.ts'
import { engineFacts, listeningPorts, memoryFacts, swarmFacts } from './facts.ts'

const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 23456 1 0000 100 0 0 10 0
   1: 0100007F:D5D5 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 12345 1 0000 100 0 0 10 0
   2: 0100007F:C350 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 34567 1 0000 20 4 30 10 -1
`
const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue
   0: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:0
`

describe('listening ports', () => {
  test('only sockets that listen count, in both tables', () => {
    expect(listeningPorts(tcp)).toEqual([80, 54741])
    expect(listeningPorts(tcp6)).toEqual([443])
  })

  test('a table cut in the middle of a line still yields the lines before', () => {
    expect(listeningPorts(tcp.slice(0, tcp.indexOf('   1:') + 12))).toEqual([80])
  })
})

describe('memory', () => {
  test('is total and available, in bytes', () => {
    const meminfo = 'MemTotal:       24682740 kB\nMemFree:        1000 kB\nMemAvailable:   23862540 kB\n'
    expect(memoryFacts(meminfo)).toEqual({ totalBytes: 24_682_740 * 1024, availableBytes: 23_862_540 * 1024 })
  })

  test('is unknown where the kernel does not say what is available', () => {
    expect(memoryFacts('MemTotal:       24682740 kB\nMemFree:        1000 kB\n')).toBeNull()
  })
})

describe('the API version', () => {
  test.for([
    ['an older engine decides', '1.41', '1.12', '1.41'],
    ['a newer engine speaks ours', '1.51', '1.24', '1.45'],
    ['1.9 is older than 1.45', '1.9', '1.9', '1.9'],
    ['an engine that dropped ours decides', '1.60', '1.50', '1.50'],
  ] as const)('%s', ([, ApiVersion, MinAPIVersion, spoken]) => {
    expect(negotiate({ Version: 'x', ApiVersion, MinAPIVersion })).toBe(spoken)
  })
})

describe('the engine and its swarm', () => {
  test('an engine that leaves out fields still gives facts', () => {
    expect(engineFacts({ Version: '20.10.24', ApiVersion: '1.41' }, {})).toMatchObject({ cgroupVersion: '1', cpus: 0 })
    expect(swarmFacts({})).toEqual({ state: 'inactive', nodeId: null, isManager: false, nodes: null, error: null })
  })

  test('a worker does not claim to know the number of nodes', () => {
    const Swarm = { LocalNodeState: 'active', NodeID: 'n1', ControlAvailable: false, Nodes: 0, Error: '' }
    expect(swarmFacts({ Swarm })).toEqual({ state: 'active', nodeId: 'n1', isManager: false, nodes: null, error: null })
  })
})
