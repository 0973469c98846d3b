import { expect, test } from 'vitest'
import { type CertificateRow, shapeCertificate, stateOf } from './state.ts'

const NOW = Date.UTC(2026, 0, 31)
const DAY = 86_400_000
const problem = { code: 'ca_failed', message: 'The CA is out.', hint: null }
const blank = { notAfter: null, runId: null, problem: null, dnsOk: false, dns: null } as unknown as CertificateRow
const good = { notAfter: new Date(NOW + 10 * DAY) }
const over = { notAfter: new Date(NOW - DAY) }

test.for([
  ['pending_dns', {}, true],
  ['pending_dns', { dnsOk: true }, false],
  ['issuing', { dnsOk: true }, true],
  ['issuing', { runId: 'run_1' }, true],
  ['issuing', { runId: 'run_1', problem }, true],
  ['failing', { problem }, true],
  ['valid', good, true],
  ['renewing', { ...good, runId: 'run_1' }, true],
  ['failing', { ...good, problem }, true],
  ['expired', over, true],
  ['expired', { ...over, problem }, true],
  ['expired', { ...over, runId: 'run_1' }, true],
] as const)('%s: %j, live %j', ([state, more, live]) => {
  expect(stateOf({ ...blank, ...more }, live, NOW)).toBe(state)
})

test('a certificate that was over yesterday has minus one day left, and says why there is no other', () => {
  const row = { ...blank, ...over, problem, nextTryAt: new Date(NOW + 60_000) } as CertificateRow
  const shown = shapeCertificate(row, 'live', NOW)
  expect(shown).toMatchObject({ state: 'expired', daysLeft: -1, reason: 'The CA is out.' })
  expect(shown.nextTryAt).toBe(new Date(NOW + 60_000).toISOString())
})

test('a name that is being led somewhere is not told that there is nowhere to go', () => {
  const row = { ...blank, dnsOk: true }
  expect(shapeCertificate(row, 'soon', NOW).reason).toContain('is being led to the active release')
  expect(shapeCertificate(row, 'no_release', NOW).reason).toContain('has no active release')
})
