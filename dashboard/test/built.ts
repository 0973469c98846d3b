import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const DEADLINE_MS = 120_000
let built: Promise<string> | undefined

/** The dashboard of the release that the tests are pointed at; else this checkout's, built once in a process. */
export function builtDashboard(): Promise<string> {
  const release = process.env.SLIPWAY_TEST_RELEASE
  built ??= release ? Promise.resolve(resolve(release, 'dashboard')) : build()
  return built
}

async function build(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-dashboard-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../build.ts'), dir], { timeout: DEADLINE_MS })
  return dir
}
