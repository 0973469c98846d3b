import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of this run. The name is short: paths of sockets are in it. */
export const temporaryFolder = join(tmpdir(), `slipway-${process.pid}`)

/** Workers are ended without a word, so what tests leave there goes after them. */
export function setup(): () => void {
  mkdirSync(temporaryFolder, { recursive: true })
  return () => rmSync(temporaryFolder, { recursive: true, force: true })
}
