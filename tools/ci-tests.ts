import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { type Failed, REPORT } from './failed-files.ts'

/**
 * The tests as CI runs them. A few files that fail are run once more, by themselves: what fails again is broken, what passes depends
 * on the machine's mood. That is told, kept in `.ci/flakes.jsonl` and to be mended, and does not hold up a change that did not cause it.
 * `SLIPWAY_CI_STRICT=1` allows no second try.
 */
const MOST_FILES = 3

process.exit(await main())

async function main(): Promise<number> {
  rmSync(REPORT, { force: true })
  const code = await vitest([])
  if (code === 0) return 0
  const files = failedFiles()
  if (process.env.SLIPWAY_CI_STRICT || files.length === 0 || files.length > MOST_FILES) return code
  console.log(`\nOnce more, by themselves: ${files.join(', ')}\n`)
  const again = await vitest(files)
  if (again !== 0) return again
  appendFileSync('.ci/flakes.jsonl', `${JSON.stringify({ at: new Date().toISOString(), files })}\n`)
  console.log(`\nFLAKES: ${files.length} of the files failed above and passed by themselves: ${files.join(', ')}`)
  return 0
}

/** None where it ended before it could tell, or where something failed that is no test. */
function failedFiles(): string[] {
  try {
    const { files, errors } = JSON.parse(readFileSync(REPORT, 'utf8')) as Failed
    return errors === 0 ? files : []
  } catch {
    return []
  }
}

function vitest(files: string[]): Promise<number> {
  const reports = ['--reporter=default', '--reporter=./tools/failed-files.ts']
  const child = spawn('vitest', ['run', ...reports, ...files], { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((done) => {
    child.once('error', (error) => {
      console.error(`vitest could not start: ${error.message}`)
      done(127)
    })
    child.once('exit', (code) => done(code ?? 1))
  })
}
