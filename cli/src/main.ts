#!/usr/bin/env node
// Nothing is imported before it is needed: `slipway --version` costs little more than an empty program.
const argv = process.argv.slice(2)

if (argv[0] === '--version') {
  const { VERSION } = await import('./version.ts')
  process.stdout.write(`slipway ${VERSION}\n`)
} else {
  const { run } = await import('./run.ts')
  const { interrupts } = await import('./interrupts.ts')
  // Whoever reads us may leave, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const { env, stdout, stderr } = process
  // The server's own program hears of signals itself, and ends in its own time.
  const leave =
    argv[0] === 'server' || argv[0] === 'admin' ? { signal: new AbortController().signal } : interrupts(process)
  process.exitCode = await run(argv, { env, cwd: process.cwd(), stdin: () => process.stdin, stdout, stderr, ...leave })
}
