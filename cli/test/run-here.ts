import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Io } from '../src/command.ts'
import { run } from '../src/run.ts'

type Options = {
  env?: NodeJS.ProcessEnv
  cwd?: string
  stdin?: string
  tty?: boolean
  signal?: AbortSignal
  again?: Io['again']
  /** Told of everything that is printed, as it is. */
  heard?: (text: string) => void
}

/** A home of its own, so that no test meets what somebody is signed in to. */
export const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'slipway-cli-'))

/** Runs a command line in this process, on streams of its own. */
export async function slipway(argv: string[], given: Options = {}) {
  const { env = {}, cwd, stdin = '', tty = false, signal, again, heard } = given
  const home = env.HOME ?? (await newHome())
  const stream = () => {
    const written: string[] = []
    const into = new Writable({
      decodeStrings: false,
      write: (text, _, done) => {
        written.push(String(text))
        heard?.(String(text))
        done()
      },
    })
    return Object.assign(into, { written, isTTY: tty, columns: 100 })
  }
  const [stdout, stderr] = [stream(), stream()]
  const typed = Object.assign(Readable.from(stdin === '' ? [] : [stdin]), { isTTY: tty })
  const code = await run(argv, {
    env: { HOME: home, ...env },
    cwd: cwd ?? home,
    stdin: () => typed,
    stdout,
    stderr,
    signal: signal ?? new AbortController().signal,
    ...(again && { again }),
  })
  const out = stdout.written.join('')
  return {
    code,
    out,
    err: stderr.written.join(''),
    /** Every line of stdout as JSON; throws when one is not. */
    lines: () =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    json: () => JSON.parse(out.trimEnd().split('\n').at(-1) ?? ''),
  }
}
