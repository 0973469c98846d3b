import { spawn } from 'node:child_process'
import type { Call, Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'

export const server: Command<'server'> = (call) => serverProgram(call, call.words)
export const admin: Command<'admin'> = (call) => serverProgram(call, ['admin', ...call.words])

/** The server's own program does what needs the instance's configuration; the command only finds and runs it. */
function serverProgram({ env, cwd }: Call, args: string[]): Promise<number> {
  const program = env.SLIPWAY_SERVER
  const [file, argv] = program ? [process.execPath, [program, ...args]] : ['slipway-server', args]
  return new Promise((done, reject) => {
    const child = spawn(file, argv, { stdio: 'inherit', env, cwd })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    child.once('error', () => reject(missing()))
    child.once('exit', (code) => done(code ?? EXIT.unexpected))
  })
}

const missing = () =>
  new Failure(
    EXIT.unreachable,
    'server_missing',
    'slipway-server was not found.',
    'Run this on the machine of the instance, or set SLIPWAY_SERVER.',
  )

/** A release starts its own setup before this program is asked. */
export const setup: Command<'setup'> = async () => {
  throw new Failure(
    EXIT.usage,
    'setup_missing',
    'slipway setup comes with a release, and this is the command line alone.',
    'Run it on the machine of the instance, as root: docs/how-to/install.md.',
  )
}
