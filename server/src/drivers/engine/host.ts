import { open, statfs } from 'node:fs/promises'
import type { SshConnection } from '../ssh/connection.ts'

/** The machine below an engine, as far as files tell. */
export type HostReader = Pick<SshConnection, 'readFile' | 'diskSpace'>

/** The machine Slipway itself runs on. */
export const localHost: HostReader = {
  async readFile(path, maxBytes) {
    const file = await open(path, 'r')
    try {
      const chunks: Buffer[] = []
      let size = 0
      while (size < maxBytes) {
        // Files of /proc hand out their content in pieces and say that they are empty: read to the end.
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(65_536, maxBytes - size)))
        if (bytesRead === 0) break
        chunks.push(buffer.subarray(0, bytesRead))
        size += bytesRead
      }
      return Buffer.concat(chunks)
    } finally {
      await file.close()
    }
  },
  async diskSpace(path) {
    const { bsize, blocks, bavail } = await statfs(path)
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
  },
}
