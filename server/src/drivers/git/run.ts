import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { gitFailure } from './git.ts'

export type Limits = { signal: AbortSignal; deadlineMs: number; watch?: { directory: string; maxBytes: number } }
export type Ended = { code: number | null; stdout: string; stderr: string }

const MOST_OUTPUT = 1_000_000
const WATCH_MS = 200

export type GitChild = ChildProcessByStdio<Writable, Readable, Readable>

/** In a process group of its own: what git starts (remote helpers, ssh, index-pack) ends together with it. */
export function startGit(args: string[], env: Record<string, string>): GitChild {
  const child = spawn('git', args, { env, cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  // A missing program must fail the call, not the process; whoever waits hears of it too.
  return child.on('error', () => {})
}

export function endGit({ pid }: GitChild): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Runs git to its end. A non-zero end is the caller's to explain; deadline, size and signal are failures here. */
export async function runGit(args: string[], env: Record<string, string>, limits: Limits): Promise<Ended> {
  limits.signal.throwIfAborted()
  const child = startGit(args, env)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  child.stdin.on('error', () => {}).end()
  let reason: unknown
  const stop = (why: unknown) => {
    reason ??= why
    endGit(child)
  }
  const left = () => stop(limits.signal.reason)
  limits.signal.addEventListener('abort', left)
  const seconds = limits.deadlineMs / 1000
  const late = gitFailure('git_timeout', `The git server did not deliver within ${seconds} s.`)
  const timer = setTimeout(() => stop(late), limits.deadlineMs)
  const watcher = limits.watch && watchSize(limits.watch, stop)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(new Error('git could not be started', { cause: error })))
      child.once('close', resolve)
    })
    if (reason) throw reason
    return { code, stdout: stdout(), stderr: stderr() }
  } finally {
    clearTimeout(timer)
    clearInterval(watcher)
    limits.signal.removeEventListener('abort', left)
  }
}

/** The end of what a program says; errors stand last. */
function collect(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-MOST_OUTPUT)
  })
  return () => text
}

type Watch = NonNullable<Limits['watch']>

/** git has no limit of its own for what it fetches; the pack grows in a file, and that can be seen. */
function watchSize(watch: Watch, stop: (why: unknown) => void): NodeJS.Timeout {
  return setInterval(() => void checkSize(watch).catch(stop), WATCH_MS)
}

export async function checkSize({ directory, maxBytes }: Watch): Promise<void> {
  const folder = join(directory, 'objects', 'pack')
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))))
  if (sizes.reduce((sum, size) => sum + size, 0) > maxBytes) throw tooLarge(maxBytes)
}

/** Temporary packs get their names, or go, while one looks. */
const sizeOf = (path: string) =>
  lstat(path).then(
    ({ size }) => size,
    () => 0,
  )

export const tooLarge = (maxBytes: number) =>
  gitFailure('git_too_large', `The repository is larger than ${Math.round(maxBytes / 1e6)} MB.`)
