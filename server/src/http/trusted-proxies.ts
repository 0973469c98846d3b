import type { Socket } from 'node:net'
import { compile } from '@fastify/proxy-addr'

/** In place of an address, for who comes over a unix socket. */
const UNIX_PEER = 'unix'

/** A peer on a unix socket has no address, and without one all of them would be one visitor. */
export function markUnixPeer(socket: Socket): void {
  Object.defineProperty(socket, 'remoteAddress', { value: UNIX_PEER })
}

/**
 * Whose X-Forwarded-For is believed: proxies that are listed, and peers on the unix socket, which only programs of this machine
 * can open. The word for those counts for the connection itself and never for what a header says.
 */
export function trustedProxies(listed: string | null): (address: string, hop: number) => boolean {
  const isListed = listed === null ? () => false : compile(listed.split(',').map((one) => one.trim()))
  return (address, hop) => (address === UNIX_PEER ? hop === 0 : isListed(address, hop))
}
