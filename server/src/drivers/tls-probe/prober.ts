import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { connectToOne } from './connect.ts'
import { handshake } from './handshake.ts'
import { judge, readCertificate } from './judge.ts'
import { unconnected, unshaken } from './problem.ts'
import type { TlsProbe } from './tls-probe.ts'

const DEADLINE_MS = 8000
const HTTPS = 443

/** Judges by the machine's authorities and those in `extraRoots` (PEM), which is read at the first probe. */
export function tlsProber({ extraRoots }: { extraRoots: () => Promise<string[]> }): TlsProbe {
  let roots: Promise<SecureContext> | undefined
  const known = () => {
    roots ??= trusting(extraRoots).catch((error) => {
      // A file that could not be read may be readable the next time.
      roots = undefined
      throw error
    })
    return roots
  }
  return {
    async probe({ servername, addresses, port = HTTPS, signal, deadlineMs = DEADLINE_MS }) {
      signal.throwIfAborted()
      const until = Date.now() + deadlineMs
      const context = await known()
      const connected = await connectToOne(addresses, port, until, signal)
      if ('code' in connected) return unconnected(connected.code, addresses, port)
      const { socket, address } = connected
      const shaken = await handshake(socket, { servername, roots: context, until, signal })
      if ('code' in shaken) return unshaken(shaken.code, address, port, servername)
      const certificate = readCertificate(shaken.x509, servername, shaken.distrust)
      return { address, certificate, problem: null, ...judge(certificate, servername, new Date()) }
    },
  }
}

/** Made once: there are more than a hundred authorities. */
async function trusting(extraRoots: () => Promise<string[]>): Promise<SecureContext> {
  const system = getCACertificates('system')
  const machine = system.length > 0 ? system : getCACertificates('bundled')
  return createSecureContext({ ca: [...machine, ...(await extraRoots())] })
}
