import { chmod } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { SshConnection } from './connection.ts'

export type Tunnel = {
  /** Why the newest connection could not be forwarded: the program that made it saw only that it was closed. */
  failure(): unknown
  close(): void
}

/**
 * A unix socket here whose every connection ends at a socket on the server, for programs that know only local sockets.
 * Whoever can reach `localPath` can use it: put it into a folder of mode 0700. It is at most 107 bytes long.
 */
export async function openTunnel(
  connection: Pick<SshConnection, 'openSocket'>,
  remotePath: string,
  localPath: string,
): Promise<Tunnel> {
  const open = new Set<Socket>()
  let failure: unknown
  const forward = async (near: Socket) => {
    open.add(near)
    near.on('error', () => {}).once('close', () => open.delete(near))
    try {
      const far = await connection.openSocket(remotePath)
      // Each direction passes on its end; an error or an early close on one side ends the other.
      pipeline(near, far, () => far.destroy())
      pipeline(far, near, () => near.destroy())
      if (near.destroyed) far.destroy()
    } catch (error) {
      failure = error
      near.destroy()
    }
  }
  const server = createServer({ pauseOnConnect: true }, forward)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(localPath, resolve))
  await chmod(localPath, 0o600)
  return {
    failure: () => failure,
    close() {
      server.close()
      for (const near of open) near.destroy()
    },
  }
}
