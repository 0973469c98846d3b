import type { Domain, DomainCertificate } from '@slipway/contract/domains'
import { expect, test } from 'vitest'
import { certificateInWords, dnsRows, domainInWords } from './domain-words.ts'

const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const inDays = (days: number) => new Date(NOW + days * 86_400_000).toISOString()
const TXT = { name: '_slipway.shop.example.com', value: 'org_1', found: false }
const dns = (ok: boolean): Domain['dns'] => ({
  ok,
  wanted: ['192.0.2.10'],
  found: { addresses: ok ? ['192.0.2.10'] : [], cname: [] },
  txt: TXT,
  message: 'Said.',
  checkedAt: inDays(0),
})
const certificate = (change: Partial<DomainCertificate>): DomainCertificate => ({
  state: 'valid',
  reason: null,
  nextTryAt: null,
  issuer: 'Let’s Encrypt',
  serial: '1',
  validFrom: inDays(-19),
  validTo: inDays(71),
  daysLeft: 71,
  renewAt: inDays(41),
  ...change,
})
const name = (change: Partial<Domain>) => ({
  host: 'shop.example.com',
  kind: 'custom' as const,
  live: true,
  redirectTo: null,
  dns: dns(true),
  certificate: certificate({}),
  ...change,
})

test('a name below localhost needs nobody: no record could make it lead here', () => {
  const here = name({ host: 'shop.localhost', kind: 'free', dns: dns(false) })
  expect(domainInWords(here)).toEqual({ word: 'This machine only', tone: 'idle' })
})

test('a name that does not lead here is told by its records, whatever its certificate is', () => {
  expect(domainInWords(name({ dns: dns(false) }))).toEqual({ word: 'DNS', tone: 'ask' })
})

test('a certificate that cannot be renewed is told apart from one that never was', () => {
  expect(domainInWords(name({ certificate: certificate({ state: 'failing' }) })).word).toBe('Renewal fails')
  const never = certificate({ state: 'failing', validTo: null, daysLeft: null })
  expect(domainInWords(name({ certificate: never })).word).toBe('No certificate')
})

test('without certificates a name is not called secure', () => {
  expect(domainInWords(name({ certificate: null }))).toEqual({ word: 'Leads here', tone: 'ok' })
  expect(domainInWords(name({ certificate: null, dns: null })).word).toBe('Not looked up yet')
  expect(domainInWords(name({ certificate: null, dns: null, kind: 'free', live: false })).word).toBe('No release')
})

test('the line of a certificate says by whom, how long, and what comes next', () => {
  const line = (change: Partial<DomainCertificate>, live = true) =>
    certificateInWords({ certificate: certificate(change), live }, NOW)
  expect(line({})).toBe('Let’s Encrypt · 71 d left, renews in 41 d')
  expect(line({ state: 'issuing', validTo: null, daysLeft: null })).toBe('HTTP works, the certificate is on its way.')
  expect(line({ state: 'issuing', validTo: null, daysLeft: null }, false)).toBe('The certificate is being asked for.')
  expect(line({ state: 'failing', reason: 'The CA says no.', nextTryAt: inDays(0.25) })).toBe(
    'Let’s Encrypt · 71 d left. The CA says no. Tried again in 6 h.',
  )
})

test('records stand beside what they should be; the TXT record is asked for only where it is needed', () => {
  const leads = (addresses: string[]) => ({ found: { addresses, cname: [] }, wanted: ['192.0.2.10'], txt: TXT })
  expect(dnsRows('shop.example.com', leads([]))).toEqual([
    { type: 'A', name: 'shop.example.com', found: '–', wanted: '192.0.2.10' },
  ])
  expect(
    dnsRows('shop.example.com', leads(['203.0.113.9', '2001:db8::1'])).map((row) => [row.type, row.found]),
  ).toEqual([
    ['A', '203.0.113.9'],
    ['AAAA', '2001:db8::1'],
    ['TXT', '–'],
  ])
  expect(dnsRows('*.example.com', leads(['192.0.2.10'])).map(({ type }) => type)).toEqual(['A', 'TXT'])
})
