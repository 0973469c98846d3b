import { ended } from '../argv.ts'
import { errandOf } from '../execute/platform.ts'
import { sumOf } from './make.ts'

/** Longer than the server itself waits. */
const SEND_MS = 13 * 3600_000

type Sent = { name: string; bytes: number; removed: string[]; warning: string | null }

/**
 * The platform's own program has the ways to all kinds of destinations. It answers only after it has read the file back, and
 * gets it opened: it is root's.
 */
export async function sendBackup(file: string, destination: string, version: string): Promise<Sent> {
  const args = ['--json', '--destination', destination, '--sha256', await sumOf(file)]
  const { argv, options } = errandOf(version, ['backup', 'send', ...args])
  const { code, out, err } = await ended(argv, { ...options, inputFile: file, deadlineMs: SEND_MS })
  if (code === 0) return JSON.parse(out)
  throw new Error(
    `It was not sent to ${destination}: ${err.trim() || `the server's program ended with ${code}`}\nIt is here: ${file}`,
  )
}
