import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import type { Argv } from '../run.ts'
import { tool, toolEnv } from '../tools.ts'

/** As much of what a program prints as anyone will read. */
const MOST_PRINTED = 4_000_000

export interface Child {
  process: ChildProcess
  printed(): string
  stop(): Promise<void>
}

/** A program that ends with the process that started it, even if that is killed, and prints into memory. */
export function startChild([program, ...args]: Argv, env: NodeJS.ProcessEnv): Child {
  const child = spawn(tool('setpriv'), ['--pdeathsig', 'KILL', '--', program, ...args], {
    env: toolEnv(env),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const keep = (chunk: Buffer) => {
    text = (text + chunk).slice(-MOST_PRINTED)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = new Promise<void>((settle) => {
    child.once('error', (error) => {
      text += error.message
      settle()
    })
    child.once('exit', () => settle())
  })
  return {
    process: child,
    printed: () => text,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Ports that nobody listens on now, all different. Another may take one meanwhile: whoever starts a program tries again. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((listening, failed) => {
        server.once('error', failed).listen(0, '127.0.0.1', listening)
      })
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}
