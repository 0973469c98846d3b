import { spawn } from 'node:child_process'
import { basename } from 'node:path'

export type Argv = readonly [string, ...string[]]

export interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  deadlineMs?: number
}

/** Runs a program to its end and returns its output; a failure says which program, why, and its last lines. */
export async function run(argv: Argv, options: RunOptions = {}): Promise<string> {
  const { cwd, env = process.env, deadlineMs = 120_000 } = options
  const [program, ...args] = argv
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  let late = false
  const deadline = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, deadlineMs)
  const ended = await new Promise<string>((settle) => {
    child.on('error', (error) => settle(error.message))
    child.on('close', (code, signal) => settle(code === 0 ? '' : `exit ${signal ?? code}`))
  })
  clearTimeout(deadline)
  const stdout = Buffer.concat(out).toString()
  if (ended === '') return stdout
  const why = late ? `no end after ${deadlineMs / 1000} s` : ended
  const said = lastLines(Buffer.concat(err).toString() || stdout, 12)
  throw new Error(`${basename(program)} failed (${why}): ${argv.join(' ')}\n${said}`)
}

export function lastLines(text: string, count: number): string {
  return text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n')
}
