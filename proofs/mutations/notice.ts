import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ByProof, ByTest } from './mutation.ts'
import { run } from './run.ts'

/** `green` and `red` are words of a test or a proof; with `broken` it did not come so far as to say anything. */
export type Noticed = { how: 'red' | 'green' | 'broken'; said: string }

const TEST_MINUTES = 10
const PROOF_MINUTES = 40

export const notice = (dir: string, red: ByTest | ByProof): Promise<Noticed> =>
  'test' in red ? byTest(dir, red) : byProof(dir, red)

async function byTest(dir: string, { test, title }: ByTest): Promise<Noticed> {
  const { ran, words } = await runTests(dir, test, [title])
  const failed = ran.find(({ status }) => status === 'failed')
  if (ran.length === 0) return { how: 'broken', said: `no test ran: ${lastOf(words)}` }
  return failed
    ? { how: 'red', said: `${failed.fullName}: ${firstLine(failed.failureMessages?.[0] ?? '')}` }
    : { how: 'green', said: `${ran.length} tests passed` }
}

type Tested = { status: string; fullName: string; failureMessages?: string[] }
type Report = { testResults: { assertionResults: Tested[] }[] }

/** The tests of a file whose names have one of these titles, as far as they came to an end. */
export async function runTests(dir: string, file: string, titles: string[]): Promise<{ ran: Tested[]; words: string }> {
  const report = join(dir, 'mutation-report.json')
  rmSync(report, { force: true })
  const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const argv = ['bin/test', '--reporter=json', `--outputFile=${report}`, file, '-t', pattern]
  const { words, late } = await run(dir, argv, { minutes: TEST_MINUTES })
  if (late || !existsSync(report)) return { ran: [], words: late ? `it took more than ${TEST_MINUTES} min` : words }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  return { ran: all.filter(({ status }) => status === 'passed' || status === 'failed'), words }
}

async function byProof(dir: string, { prove, says, sizes = {} }: ByProof): Promise<Noticed> {
  const { code, words, late } = await run(dir, ['bin/prove', prove], { env: sizes, minutes: PROOF_MINUTES })
  const lines = words.split('\n')
  const verdict = lines.findLast((line) => /^(PROVED|PARTIAL|MISSED) /.test(line))
  if (late || verdict === undefined)
    return { how: 'broken', said: late ? `it took more than ${PROOF_MINUTES} min` : lastOf(words) }
  if (code === 0) return { how: 'green', said: verdict }
  // Its first line is the claim, which has the same words.
  const told = lines.slice(1).find((line) => says.test(line))
  return told === undefined
    ? { how: 'green', said: `it missed for another reason than ${says}: ${lastOf(words)}` }
    : { how: 'red', said: told.trim() }
}

const firstLine = (text: string) => text.split('\n')[0] ?? ''
const lastOf = (words: string) => words.trim().slice(-2500)
