import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { Readable, Writable } from 'node:stream'

export type Argv = readonly [string, ...string[]]

export type Options = {
  input?: string
  /** A file that it reads in place of `input`: it may be one that only we can open. */
  inputFile?: string
  env?: NodeJS.ProcessEnv
  deadlineMs?: number
  /** Runs as this user of the machine, with its groups. */
  as?: string
}

export type Ended = { code: number; out: string; err: string }

/** How much of what a program says is kept: what is shown of a failure are its last lines. */
const MOST = 16 * 1024 * 1024

/** Runs a program to its end, however it ends. Never through a shell. */
export function ended(
  argv: Argv,
  { input = '', inputFile, env = process.env, deadlineMs = 120_000, as }: Options = {},
): Promise<Ended> {
  const whole = as === undefined ? argv : asUser(as, argv)
  const [program, ...args] = whole
  const file = inputFile === undefined ? undefined : openSync(inputFile, 'r')
  return new Promise((done) => {
    const child = spawn(program, args, {
      env: { ...env, LC_ALL: 'C.UTF-8' },
      cwd: '/',
      stdio: [file ?? 'pipe', 'pipe', 'pipe'],
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>
    if (file !== undefined) closeSync(file)
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out = (out + text).slice(-MOST)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err = (err + text).slice(-MOST)
    })
    child.stdin?.on('error', () => {}) // it may end before it has read all of it
    child.stdin?.end(input)
    const late = setTimeout(() => {
      err += `\nIt did not end within ${deadlineMs / 1000} s.`
      child.kill('SIGKILL')
    }, deadlineMs)
    child.on('error', (error) => {
      clearTimeout(late)
      done({ code: 127, out, err: error.message })
    })
    child.on('close', (code) => {
      clearTimeout(late)
      done({ code: code ?? 137, out, err })
    })
  })
}

/** Runs a program that must end well, and answers with what it printed. */
export async function run(argv: Argv, options: Options = {}): Promise<string> {
  const { code, out, err } = await ended(argv, options)
  if (code === 0) return out
  throw new Error(`${basename(argv[0])} ended with ${code}: ${argv.join(' ')}\n${lastLines(err || out)}`)
}

/** What a program printed, or null where it is missing or ended with a failure. */
export async function tried(argv: Argv, options: Options = {}): Promise<string | null> {
  const { code, out } = await ended(argv, options)
  return code === 0 ? out : null
}

const asUser = (user: string, argv: Argv): Argv => [
  'setpriv',
  `--reuid=${user}`,
  `--regid=${user}`,
  '--init-groups',
  '--',
  ...argv,
]

const lastLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(-12)
    .map((line) => `    ${line}`)
    .join('\n')
