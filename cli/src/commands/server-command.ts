import { spawn } from 'node:child_process'
import { say } from '../print.ts'

/** The server's own program does what needs the instance's configuration; the command only finds and runs it. */
export function serverCommand(args: string[]): Promise<number> {
  const program = process.env.SLIPWAY_SERVER
  const [file, argv] = program ? [process.execPath, [program, ...args]] : ['slipway-server', args]
  return new Promise((done) => {
    const child = spawn(file, argv, { stdio: 'inherit' })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    child.once('error', () => {
      say('slipway-server was not found. Run this on the machine of the instance, or set SLIPWAY_SERVER.')
      done(8)
    })
    child.once('exit', (code) => done(code ?? 1))
  })
}
