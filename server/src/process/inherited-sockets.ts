import { execFile } from 'node:child_process'
import { createServer, type Server, type Socket } from 'node:net'

/** The first that is inherited; those before are input, output and complaints. */
const FIRST = 3

/**
 * What systemd listens on for us (socket activation): whoever comes while one version replaces another waits there. Told once,
 * and to this process alone: what it starts inherits nothing of it.
 */
export function inheritedSockets(env: NodeJS.ProcessEnv, pid: number = process.pid): number[] {
  const count = Number(env.LISTEN_PID) === pid ? Number(env.LISTEN_FDS) : 0
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name]
  return Array.from({ length: count }, (_, n) => FIRST + n)
}

/** Takes what arrives on another socket. Of one without addresses it is told: peers there are programs of this machine. */
export async function listenToo(fd: number, take: (socket: Socket, isUnix: boolean) => void): Promise<Server> {
  const server = createServer((socket) =>
    take(socket, typeof server.address() !== 'object' || server.address() === null),
  )
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen({ fd }, done)
  })
  return server
}

/**
 * Tells systemd that requests are answered from now on. Two versions share their sockets during an upgrade, so that an answer does
 * not say whose it is. Node has no datagrams on unix sockets; systemd's own program has.
 */
export async function tellReady(env: NodeJS.ProcessEnv): Promise<void> {
  const { NOTIFY_SOCKET, PATH } = env
  delete env.NOTIFY_SOCKET
  if (NOTIFY_SOCKET === undefined) return
  await new Promise<void>((done, fail) => {
    execFile('systemd-notify', ['--ready'], { env: { NOTIFY_SOCKET, PATH } }, (error) => (error ? fail(error) : done()))
  })
}
