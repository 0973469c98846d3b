import type { CertificateState, DomainCertificate } from '@slipway/contract/domains'
import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/tables.ts'

export type CertificateRow = Selectable<Tables['certificate']>

const DAY_MS = 86_400_000
/** Whether visitors of the name get anywhere: they do, they will as soon as the edge is told, or there is nowhere to go. */
export type Led = 'live' | 'soon' | 'no_release'

const NOT_LIVE: Record<Exclude<Led, 'live'>, string> = {
  soon: 'The name is being led to the active release; the certificate is ordered as soon as it is.',
  no_release: 'The project has no active release that the name could lead to; the certificate is ordered when it has.',
}

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

export function shapeCertificate(row: CertificateRow, led: Led, now = Date.now()): DomainCertificate {
  const state = stateOf(row, led === 'live', now)
  const end = row.notAfter
  const waits = state !== 'pending_dns' ? null : led === 'live' ? (row.dns?.message ?? null) : NOT_LIVE[led]
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
