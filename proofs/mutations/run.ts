import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { labDir } from '../../lab/paths.ts'

export type Ended = { code: number | null; words: string; late: boolean }

const MOST_WORDS = 4_000_000
const GRACE_MS = 30_000

/** A program of the copy, in a process group of its own, on the lab of the checkout; ended when it takes too long. */
export async function run(
  dir: string,
  [program = '', ...args]: string[],
  options: { env?: Record<string, string>; minutes: number },
): Promise<Ended> {
  const env = { ...process.env, SLIPWAY_LAB_DIR: labDir, ...options.env }
  const child = spawn(program.includes('/') ? join(dir, program) : program, args, {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const end = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // It has ended.
    }
  }
  const atExit = () => end('SIGTERM')
  process.once('exit', atExit)
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      words = (words + chunk).slice(-MOST_WORDS)
    })
  let late = false
  const timers = [
    setTimeout(() => {
      late = true
      end('SIGTERM')
    }, options.minutes * 60_000),
    setTimeout(() => end('SIGKILL'), options.minutes * 60_000 + GRACE_MS),
  ]
  const code = await new Promise<number | null>((done, failed) => child.once('close', done).once('error', failed))
  for (const timer of timers) clearTimeout(timer)
  process.off('exit', atExit)
  return { code, words, late }
}
