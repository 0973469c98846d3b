import type { DomainDns } from '@slipway/contract/domains'
import type { ColumnType, Generated } from 'kysely'

type Time = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>

export type CertificateTables = {
  acmeAccount: {
    id: string
    directoryUrl: string
    keySealed: string
    url: string | null
    createdAt: ColumnType<Date, undefined, never>
  }
  certificate: {
    id: string
    orgId: string
    /** Null: the platform's own. */
    projectId: string | null
    host: string
    /** When to look next where the name leads, and whether something is to be done. */
    lookAt: ColumnType<Date, Date | string | undefined, Date | string>
    /** Since when the name has been waited for: who waits long is looked at less often. */
    waitingSince: ColumnType<Date, Date | string | undefined, Date | string>
    dns: NullableJson<DomainDns>
    dnsOk: Generated<boolean>
    /** The run that sees to it now. */
    runId: string | null
    problem: NullableJson<CertificateProblem>
    attempts: Generated<number>
    nextTryAt: Time
    /** The CA said: not before. */
    limitedUntil: Time
    serial: string | null
    issuer: string | null
    chain: string | null
    /** Chain and key, sealed. */
    pemSealed: string | null
    notBefore: Time
    notAfter: Time
    issuedAt: Time
    /** The serial that the edges were seen to have. */
    installed: string | null
    renewAt: Time
    /** When somebody last asked for a new one. */
    askedAt: Time
  }
  acmeOrder: {
    id: Generated<string>
    at: ColumnType<Date, undefined, never>
    orgId: string
    host: string
    renewal: boolean
  }
}

type CertificateProblem = { code: string; message: string; hint: string | null }
