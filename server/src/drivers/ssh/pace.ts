import { createSecretKey } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Client } from 'ssh2'

// ssh2 is made for commands. Two things hold it up where gigabytes pass; both were measured, and neither changes a byte.

/** It writes each packet in three pieces, each a system call of its own: gather what one turn of the loop brings. */
export function gatherWrites(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  let gathering = false
  socket.write = (...args: unknown[]) => {
    if (!gathering) {
      gathering = true
      socket.cork()
      process.nextTick(() => {
        gathering = false
        socket.uncork()
      })
    }
    return write(...args)
  }
  return socket
}

type Ciphers = Client & {
  _protocol?: { _cipher?: { _encKey?: unknown }; _decipher?: { _decipherKey?: unknown } }
}

/**
 * With AES-GCM it makes a cipher for each packet, and Node needs 20 µs to look at a key that is plain bytes, but 3 µs for
 * one it has seen before. Where ssh2 looks different inside, nothing is done.
 */
export function keepKeys(client: Client): void {
  // After each exchange of keys, and there is one every few gigabytes.
  client.on('handshake', () => {
    const { _cipher: cipher, _decipher: decipher } = (client as Ciphers)._protocol ?? {}
    if (Buffer.isBuffer(cipher?._encKey)) cipher._encKey = createSecretKey(cipher._encKey)
    if (Buffer.isBuffer(decipher?._decipherKey)) decipher._decipherKey = createSecretKey(decipher._decipherKey)
  })
}
