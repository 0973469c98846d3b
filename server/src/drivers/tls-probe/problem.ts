import type { ProbeProblem, ProbeResult } from './tls-probe.ts'

type Seen = Extract<ProbeResult, { certificate: null }>

/** There was not even a connection. */
export function unconnected(code: string, addresses: string[], port: number): Seen {
  const where = `port ${port} of ${addresses.slice(0, 3).join(', ')}`
  if (code === 'ECONNREFUSED')
    return missing(null, 'no_listener', `Nothing listens on ${where}: the connection was refused.`)
  if (code === 'ETIMEDOUT')
    return unreachable(null, 'no_answer', `There was no answer from ${where} in time; a firewall may drop the packets.`)
  return unreachable(null, 'no_route', `There is no way to ${where} (${code}).`)
}

/** There was a connection, and no certificate came over it. */
export function unshaken(code: string, address: string, port: number, servername: string): Seen {
  const who = `What listens on port ${port} of ${address}`
  const problem = problemOf(code)
  if (problem === 'silent')
    return unreachable(address, problem, `${who} took the connection, but did not answer the TLS handshake in time.`)
  if (problem === 'not_tls') return missing(address, problem, `${who} does not speak TLS.`)
  if (problem === 'hung_up') {
    const why = `it has no certificate for ${servername}, or does not speak TLS`
    return missing(address, problem, `${who} hung up during the TLS handshake: ${why}.`)
  }
  const said = code.replace(/^ERR_SSL_/, '').toLowerCase()
  return missing(address, 'handshake_refused', `${who} refused the TLS handshake for ${servername} (${said}).`)
}

/** What OpenSSL says when the first bytes are no TLS record, whatever else they are. */
const GIBBERISH = new Set(
  [
    'WRONG_VERSION_NUMBER',
    'UNEXPECTED_MESSAGE',
    'INVALID_ALERT',
    'BAD_CHANGE_CIPHER_SPEC',
    'BAD_RECORD_TYPE',
    'PACKET_LENGTH_TOO_LONG',
    'RECORD_LAYER_FAILURE',
    'RECORD_TOO_SMALL',
    'HTTP_REQUEST',
    'UNKNOWN_PROTOCOL',
  ].map((name) => `ERR_SSL_${name}`),
)

function problemOf(code: string): ProbeProblem {
  if (code === 'ETIMEDOUT') return 'silent'
  if (!code.startsWith('ERR_SSL_')) return 'hung_up'
  return GIBBERISH.has(code) ? 'not_tls' : 'handshake_refused'
}

const missing = (address: string | null, problem: ProbeProblem, lastError: string): Seen => ({
  state: 'missing',
  address,
  certificate: null,
  problem,
  lastError,
})
const unreachable = (address: string | null, problem: ProbeProblem, lastError: string): Seen => ({
  ...missing(address, problem, lastError),
  state: 'unreachable',
})
