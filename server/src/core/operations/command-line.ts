import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Refusal } from '../../errors.ts'

export const COMMAND_LINE = 'slipway.tgz'

/** Beside the server in a release. */
const FILE = new URL(`../cli/${COMMAND_LINE}`, import.meta.url)

/** The command line as it was made together with this server. */
export function readCommandLine(file = FILE): { bytes: Buffer; sha256: string } {
  const bytes = bytesOf(file)
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function bytesOf(file: URL): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw new Refusal('route_not_found', 'This instance runs from a checkout and has no command line to hand out.', {
      hint: 'bin/release makes one; a checkout has it as cli/dist/main.js.',
    })
  }
}
