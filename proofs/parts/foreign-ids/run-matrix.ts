import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Mutation } from './mutations.ts'

const root = resolve(import.meta.dirname, '../../..')
const MATRIX = 'server/test/http/access/matrix.test.ts'

/** How the two-organization matrix ends; `ran` says whether it came so far as to ask. */
export type Ended = { ran: number; names: string[]; failed: string[]; words: string }

export async function runMatrix(mutation: Mutation | null): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-matrix-'))
  const report = join(folder, 'report.json')
  const config = join(import.meta.dirname, 'vitest.config.ts')
  const args = ['run', '--config', config, '--reporter=json', `--outputFile=${report}`, MATRIX]
  const child = spawn('vitest', args, {
    cwd: root,
    env: { ...process.env, SLIPWAY_MUTATION: JSON.stringify(mutation) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words = (words + chunk).slice(-2000)
  })
  await new Promise((ended, failed) => child.once('close', ended).once('error', failed))
  try {
    return { ...read(report), words }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Report = { testResults: { assertionResults: { status: string; fullName: string }[] }[] }

function read(file: string): Omit<Ended, 'words'> {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  const names = all.filter(({ status }) => status === 'passed' || status === 'failed').map(({ fullName }) => fullName)
  return { ran: names.length, names, failed }
}
