import type { AddressInfo, Server, Socket } from 'node:net'
import type { Config } from './config.ts'
import { HANDING_OVER } from './core/operations/readiness.ts'
import { claimKeys } from './core/sealing/keys-in-use.ts'
import { noteBuild } from './db/builds.ts'
import { migrate } from './db/migrate.ts'
import { buildApp } from './http/app.ts'
import { keepUntilLastAnswer } from './http/graceful-shutdown.ts'
import { createMetrics } from './http/metrics.ts'
import { markUnixPeer } from './http/trusted-proxies.ts'
import { inheritedSockets, listenToo, tellReady } from './process/inherited-sockets.ts'
import { checkStart } from './process/start-checks.ts'
import { startUpkeep } from './process/upkeep.ts'
import { type Logger, wire } from './process/wiring.ts'

export type Serving = {
  url: string
  stop(): Promise<void>
  /** Settles when this process may not go on: its database has become another one. */
  lost: Promise<Error>
}

/** How long requests that have begun may take to end. */
const DRAIN_MS = 25_000
/** How long a caller may keep a connection that it does not use. */
const UNUSED_MS = 1000

/** A worker answers health checks and metrics too: it is the same process with nothing to route to it. */
export type Role = 'api' | 'worker' | 'all'

/** Brings the database up to date, starts to listen, and returns how to stop without dropping a request. */
export async function serve(config: Config, logger: Logger, role: Role = 'all'): Promise<Serving> {
  const { platform, drain, begin, work, close } = wire(config, logger)
  try {
    const ran = await migrate(platform.db)
    if (ran.length > 0) logger.info({ migrations: ran }, 'database migrated')
    await noteBuild(platform.db)
    await claimKeys(platform)
    const { lost } = await begin()
    await checkStart(config, logger)
    const app = await buildApp({ platform, logger, metrics: createMetrics(platform) })
    const connections = keepUntilLastAnswer(app.server)
    const [first, ...others] = inheritedSockets(process.env)
    const place = { host: config.host, port: config.port, ...(first !== undefined && { fd: first }) }
    await app.listen(place).catch(explainListen)
    const also = await Promise.all(
      others.map((fd) => listenToo(fd, (socket, isUnix) => take(app.server, socket, isUnix))),
    )
    const { port } = app.server.address() as AddressInfo
    const upkeep = startUpkeep(platform, logger)
    const worker = role === 'api' ? null : await work()
    logger.info({ host: config.host, port, mode: config.mode }, 'slipway is listening')
    await tellReady(process.env)
    return {
      url: `http://${config.host}:${port}`,
      lost,
      async stop() {
        drain.abort(first === undefined ? undefined : HANDING_OVER)
        const others = also.map((one) => new Promise<void>((closed) => one.close(() => closed())))
        connections.endUnused()
        const letting = setInterval(connections.endUnused, UNUSED_MS)
        // Runs are handed to other workers while the last requests are answered.
        const handed = worker?.drain()
        // The app knows only of its own socket: whoever came by another one waits for an answer, too.
        const done = Promise.all([app.close(), ...others])
          .then(() => handed)
          .then(upkeep.stop)
          .then(close)
        await Promise.race([done, new Promise((late) => setTimeout(late, DRAIN_MS).unref())])
        clearInterval(letting)
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

function take(server: Server, socket: Socket, isUnix: boolean): void {
  if (isUnix) markUnixPeer(socket)
  server.emit('connection', socket)
}

function explainListen(error: NodeJS.ErrnoException & { address?: string; port?: number }): never {
  const at = `${error.address}:${error.port}`
  if (error.code === 'EADDRINUSE') throw new Error(`Another program listens on ${at}. Set SLIPWAY_PORT to a free port.`)
  if (error.code === 'EACCES') throw new Error(`This user may not listen on ${at}. Set SLIPWAY_PORT to one above 1023.`)
  throw error
}
