import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { plainEnvironment } from '../../../test-kit/server-process.ts'

export const CLI = join(import.meta.dirname, '../../../cli/dist/main.js')

const METER = join(import.meta.dirname, 'meter.cjs')

export type Ended = { code: number | null; out: string; err: string; cpuMs: number; peakMb: number; ms: number }
export type Machine = { home: string; env: Record<string, string> }
type Options = {
  cwd?: string
  stdin?: string
  signal?: AbortSignal
  /** Gets stdout as it comes. */
  heard?: (text: string) => void
}

/** The command line as it is built, in a process of its own, measured. */
export const runCli = (machine: Machine, argv: string[], options: Options = {}): Promise<Ended> =>
  runNode(machine, [CLI, ...argv], options)

/** Any program of Node, measured in the same way. */
export async function runNode(machine: Machine, argv: string[], options: Options = {}): Promise<Ended> {
  const { cwd = machine.home, stdin = '', signal, heard } = options
  const began = performance.now()
  const child = spawn(process.execPath, ['--require', METER, ...argv], {
    cwd,
    env: { ...plainEnvironment(), HOME: machine.home, CI: 'true', ...machine.env },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(signal && { signal, killSignal: 'SIGKILL' as const }),
  })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  if (heard) child.stdout.setEncoding('utf8').on('data', heard)
  const ended = new Promise<number | null>((done) => child.once('close', done))
  const [out, err, counted] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    text(child.stdio[3] as NodeJS.ReadableStream),
  ])
  const code = await ended
  const usage = counted === '' ? null : (JSON.parse(counted) as NodeJS.ResourceUsage)
  return {
    code,
    out,
    err,
    cpuMs: usage === null ? 0 : (usage.userCPUTime + usage.systemCPUTime) / 1000,
    peakMb: (usage?.maxRSS ?? 0) / 1024,
    ms: performance.now() - began,
  }
}

/** The last line of stdout as what it is; throws when any line is no JSON. */
export function jsonOf({ out, err }: Ended): Record<string, unknown> {
  const lines = out.trimEnd().split('\n')
  try {
    return lines.map((line) => JSON.parse(line)).at(-1)
  } catch (error) {
    throw new Error(`not JSON (${(error as Error).message}): ${out.slice(0, 200)} ${err.slice(0, 200)}`)
  }
}
