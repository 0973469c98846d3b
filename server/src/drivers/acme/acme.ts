import { DriverFailure } from '../../errors.ts'
/** Certificate authorities that speak ACME (RFC 8555). Nothing is kept between calls: accounts and keys are the caller's. */
export interface Acme {
  /** Makes an account, or finds the one of this key. Its maker agrees to the CA's terms. */
  account(target: AcmeTarget, request: AccountRequest): Promise<AcmeAccount>
  /** Orders a certificate with a new key, proves the names, and brings it. What `put` laid out is removed again in any case. */
  issue(target: AcmeTarget, request: IssueRequest): Promise<Issued>
  /** When the CA suggests to renew (RFC 9773); null where it has no opinion. */
  renewalWindow(target: AcmeTarget, request: RenewalRequest): Promise<RenewalWindow | null>
}

export type AcmeTarget = {
  directoryUrl: string
  /** PEM: whom to trust, beside the usual authorities, when talking to the CA. */
  roots?: string
  /** The key that some CAs give out for making an account. */
  eab?: { kid: string; hmacKey: string }
}

export type AccountRequest = { keyPem?: string; contact?: string[]; signal: AbortSignal }
export type AcmeAccount = { keyPem: string; url: string }

export type IssueRequest = {
  account: AcmeAccount
  /** Lower case, ASCII; `*.example.com` needs dns-01. */
  hosts: string[]
  challenge: Challenge
  /** PEM of the certificate that this one follows: CAs count renewals apart. */
  replaces?: string
  signal: AbortSignal
  deadlineMs?: number
}

export type Challenge =
  | {
      kind: 'http-01'
      put(token: string, keyAuthorization: string): Promise<void>
      remove(token: string): Promise<void>
    }
  /** `put` returns when the CA can see the record. Two values of one name may be wanted at the same time. */
  | {
      kind: 'dns-01'
      put(name: string, value: string): Promise<void>
      remove(name: string, value: string): Promise<void>
    }

export type Issued = {
  chainPem: string
  keyPem: string
  notBefore: Date
  notAfter: Date
  /** Upper-case hexadecimal, as TLS clients show it. */
  serial: string
  issuer: string
  hosts: string[]
}

export type RenewalRequest = { certificatePem: string; signal: AbortSignal }
export type RenewalWindow = { from: Date; to: Date; checkAfter: Date }

export type AcmeFailureCode =
  | 'ca_unreachable'
  | 'ca_timeout'
  | 'ca_failed'
  | 'rate_limited'
  | 'challenge_failed'
  | 'order_rejected'
  | 'account_refused'

/** The CA's own words (RFC 7807). */
export type AcmeProblem = { type: string; detail: string; subproblems: AcmeSubproblem[] }
type AcmeSubproblem = { host: string | null; type: string; detail: string }

/** `retryAfter`: not before this moment, as far as the CA said so. */
type Facts = { problem?: AcmeProblem | undefined; retryAfter?: Date | undefined }
type More = Facts & { cause?: unknown }

export type AcmeFailure = DriverFailure<'acme', AcmeFailureCode, Facts>

export const acmeFailure = (code: AcmeFailureCode, message: string, more: More = {}): AcmeFailure => {
  const { cause, ...facts } = more
  return new DriverFailure('acme', code, message, { hint: hints[code], facts, cause })
}

const hints: Record<AcmeFailureCode, string> = {
  ca_unreachable: "Check the CA's directory URL, the way to it, and the root certificate it is trusted by.",
  ca_timeout: 'Nothing is lost; try again later.',
  ca_failed: 'This is on the side of the CA; try again later.',
  rate_limited: 'Wait until the CA takes orders again.',
  challenge_failed: 'Check that the name leads to this server, and that port 80 can be reached from the internet.',
  order_rejected: 'Check the name and its CAA records.',
  account_refused: "Check the CA account's settings: its binding key, and whether it is still active.",
}
