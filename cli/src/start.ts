import { interrupts } from './interrupts.ts'
import { run } from './run.ts'

/** A command line of this process, from its words to its exit code. */
export async function start(argv: string[]): Promise<void> {
  // Whoever reads us may leave, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const { env, stdout, stderr } = process
  // The server's own program hears of signals itself, and ends in its own time.
  const leave =
    argv[0] === 'server' || argv[0] === 'admin' ? { signal: new AbortController().signal } : interrupts(process)
  process.exitCode = await run(argv, { env, cwd: process.cwd(), stdin: () => process.stdin, stdout, stderr, ...leave })
}
