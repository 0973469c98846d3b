import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'

export type Shaken = { x509: X509Certificate; distrust: string | null } | { code: string }

type Given = { servername: string; roots: SecureContext; until: number; signal: AbortSignal }

/** The handshake, and then the end: whoever is there learns the name that was asked for and nothing else. */
export function handshake(socket: Socket, { servername, roots, until, signal }: Given): Promise<Shaken> {
  return new Promise((resolve, reject) => {
    const tls = connect({
      socket,
      servername,
      secureContext: roots,
      // To look at a certificate is not to trust it: it is judged afterwards, and nothing is ever sent.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    })
    const settle = (end: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      tls.removeAllListeners()
      tls.on('error', () => {}).destroy()
      socket.on('error', () => {}).destroy()
      end()
    }
    const stop = () => settle(() => reject(signal.reason))
    const timer = setTimeout(() => settle(() => resolve({ code: 'ETIMEDOUT' })), Math.max(1, until - Date.now()))
    signal.addEventListener('abort', stop)
    if (signal.aborted) return stop()
    tls.once('secureConnect', () => {
      const seen = certificateOf(tls)
      settle(() => resolve(seen))
    })
    tls.once('error', (error: NodeJS.ErrnoException) => settle(() => resolve({ code: error.code ?? 'UNKNOWN' })))
    tls.once('close', () => settle(() => resolve({ code: 'ECONNRESET' })))
  })
}

function certificateOf(tls: TLSSocket): Shaken {
  const x509 = tls.getPeerX509Certificate()
  // Only ciphers without certificates do this, and we offer none of them.
  if (x509 === undefined) return { code: 'ERR_SSL_NO_CERTIFICATE' }
  // Typed as an error; it is the code, as text.
  const distrust = tls.authorized ? null : String(tls.authorizationError ?? 'UNKNOWN')
  return { x509, distrust }
}
