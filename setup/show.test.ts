import { expect, test } from 'vitest'
import { projectNames } from './show.ts'

test('without a base domain it is said that names lead nowhere else, and how to get those that do', () => {
  const said = projectNames({}, '203.0.113.10')
  expect(said).toContain('hello.localhost, which lead only to the machine on which they are opened.')
  expect(said).toContain(
    '    *.apps.example.com A 203.0.113.10\n    slipway setup install --base-domain apps.example.com',
  )
})

test('with a base domain the record is named that leads its names here, at the address that was told', () => {
  const settings = { SLIPWAY_BASE_DOMAIN: 'apps.example.org' }
  expect(projectNames(settings, '203.0.113.10')).toBe(
    'Projects get names such as hello.apps.example.org. This record leads all of them here:\n\n    *.apps.example.org A 203.0.113.10',
  )
  const told = { ...settings, SLIPWAY_PUBLIC_ADDRESSES: '2001:db8::1, 192.0.2.1' }
  expect(projectNames(told, '10.0.0.7')).toContain('*.apps.example.org AAAA 2001:db8::1')
})
