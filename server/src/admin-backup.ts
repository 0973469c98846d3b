import { sendPlatformBackup } from './core/backups/send-platform-backup.ts'
import type { Platform } from './core/platform.ts'
import { UsageError } from './errors.ts'

/** For a file of any size on a slow line; silence is noticed much sooner. */
const SEND_MS = 12 * 3600_000

type Asked = { destination: string | undefined; sha256: string | undefined; json: boolean }

/** The file comes by stdin: it is root's, and this runs as the server's own user. */
export function sendBackup({ destination, sha256, json }: Asked): (platform: Platform) => Promise<void> {
  if (destination === undefined) throw new UsageError('--destination is required: the id of a backup destination.')
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256))
    throw new UsageError('--sha256 is required: the checksum of the file, as sha256sum prints it.')
  if (process.stdin.isTTY) throw new UsageError('The file of a backup is read from stdin.')
  return async (platform) => {
    const signal = AbortSignal.timeout(SEND_MS)
    const sending = { destinationId: destination, source: process.stdin, sha256, signal }
    const sent = await sendPlatformBackup(platform, sending)
    const { name, bytes, removed, warning } = sent
    const lines = [
      `${name}: ${bytes} bytes, read back; ${removed.length} old ones removed.`,
      ...(warning ? [warning] : []),
    ]
    process.stdout.write(json ? `${JSON.stringify(sent)}\n` : `${lines.join('\n')}\n`)
  }
}
