import { expect, test } from 'vitest'
import { mayConnect } from './may-connect.ts'

const METADATA = [
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  'fe80::1',
]
const LOOPBACK = ['127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', '64:ff9b::7f00:1']
const AT_HOME = ['10.1.2.3', '172.16.0.9', '192.168.1.1', '100.64.0.7', 'fd12::1', '::ffff:10.1.2.3']

test('nobody connects to loopback, link-local or metadata addresses, in any of their forms', () => {
  for (const mode of ['self_hosted', 'cloud'] as const) {
    const may = mayConnect({ mode, allowedNetworks: [] })
    for (const address of [...METADATA, ...LOOPBACK, '224.0.0.1', 'localhost', '127.1', 'fe80::1%eth0'])
      expect([mode, address, may(address)]).toEqual([mode, address, false])
  }
})

test('private addresses are for those who run their own instance', () => {
  for (const address of AT_HOME) {
    expect(mayConnect({ mode: 'self_hosted', allowedNetworks: [] })(address)).toBe(true)
    expect(mayConnect({ mode: 'cloud', allowedNetworks: [] })(address)).toBe(false)
  }
  for (const mode of ['self_hosted', 'cloud'] as const)
    expect(mayConnect({ mode, allowedNetworks: [] })('8.8.8.8')).toBe(true)
})

test('what the operator names is open, and nothing beside it', () => {
  const may = mayConnect({
    mode: 'cloud',
    allowedNetworks: ['127.0.0.0/8', '10.20.0.0/16', '192.168.7.7', 'fd12::/32'],
  })
  for (const address of ['127.0.0.1', '127.9.9.9', '10.20.3.4', '192.168.7.7', 'fd12:0:1::5'])
    expect(may(address)).toBe(true)
  for (const address of ['10.21.0.1', '192.168.7.8', '::1', 'fd13::1', '169.254.169.254'])
    expect(may(address)).toBe(false)
})
