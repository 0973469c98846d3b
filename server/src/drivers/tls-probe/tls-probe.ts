export type ProbeRequest = {
  /** The name to ask for (SNI) and to judge by. It is never looked up. */
  servername: string
  /** Where to go: addresses only, found and allowed before. The first that takes a connection is the one. */
  addresses: string[]
  port?: number
  signal: AbortSignal
  /** For everything together. */
  deadlineMs?: number
}

export type SeenCertificate = {
  issuer: string | null
  subject: string | null
  altNames: string[]
  validFrom: Date
  validTo: Date
  serial: string
  fingerprint256: string
  /** By an authority that this machine or its operator knows; otherwise OpenSSL's code says why not. */
  trusted: boolean
  distrust: string | null
  nameMatches: boolean
}

export type CertificateState = 'valid' | 'expiring' | 'expired' | 'self_signed' | 'mismatch'

/** Why no certificate was seen. */
export type ProbeProblem =
  | 'no_listener' // the machine says that nothing listens there
  | 'not_tls' // something listens, and speaks another language
  | 'handshake_refused' // it speaks TLS, and not for this name
  | 'hung_up' // it ended the connection in the middle, without a word
  | 'silent' // it took the connection, and never answered
  | 'no_answer' // not even a connection, by the deadline
  | 'no_route' // the network knows no way there

export type ProbeResult = {
  /** The address that was talked to; null when none took a connection. */
  address: string | null
  /** Everything that is wrong, in sentences; null when nothing is. */
  lastError: string | null
} & (
  | { state: CertificateState; certificate: SeenCertificate; problem: null }
  | { state: 'missing' | 'unreachable'; certificate: null; problem: ProbeProblem }
)

/** Looks at the certificate that strangers are shown. One handshake, and not a byte more. */
export interface TlsProbe {
  /** Throws only when the signal ends it, or when an address is none. */
  probe(request: ProbeRequest): Promise<ProbeResult>
}
