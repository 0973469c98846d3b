import type { CertificateState, DomainCertificate } from '@slipway/contract/domains'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/tables.ts'

export type CertificateRow = Selectable<Tables['certificate']>

const DAY_MS = 86_400_000
const NOT_LIVE =
  'The project has no active release that the name could lead to; the certificate is ordered when it has.'

/** Told by what is there and what was last heard, never kept beside it: it cannot disagree with them. */
export function stateOf(row: CertificateRow, live: boolean, now: number): CertificateState {
  const { notAfter, runId, problem, dnsOk } = row
  if (notAfter === null) {
    if (runId !== null) return 'issuing'
    if (problem !== null) return 'failing'
    return dnsOk && live ? 'issuing' : 'pending_dns'
  }
  if (notAfter.getTime() <= now) return 'expired'
  if (runId !== null) return 'renewing'
  return problem === null ? 'valid' : 'failing'
}

export function shapeCertificate(row: CertificateRow, live: boolean, now = Date.now()): DomainCertificate {
  const state = stateOf(row, live, now)
  const end = row.notAfter
  const waits = state === 'pending_dns' ? (live ? (row.dns?.message ?? null) : NOT_LIVE) : null
  return {
    state,
    reason: row.problem?.message ?? waits,
    nextTryAt: row.problem === null ? null : (row.nextTryAt?.toISOString() ?? null),
    issuer: row.issuer,
    serial: row.serial,
    validFrom: row.notBefore?.toISOString() ?? null,
    validTo: end?.toISOString() ?? null,
    daysLeft: end === null ? null : Math.floor((end.getTime() - now) / DAY_MS),
    renewAt: row.renewAt?.toISOString() ?? null,
  }
}
