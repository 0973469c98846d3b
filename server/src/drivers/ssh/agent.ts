import { Agent, type ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SshConnection } from './connection.ts'

/** HTTP over one SSH connection: each socket is a channel to `socketPath` on the other side, kept alive and reused. */
export class SshAgent extends Agent {
  readonly #connection: Pick<SshConnection, 'openSocket'>
  readonly #socketPath: string

  constructor(connection: Pick<SshConnection, 'openSocket'>, socketPath: string) {
    // No limit on sockets: followed logs and events hold theirs for long, and one sshd serves 1,000 channels.
    super({ keepAlive: true, maxFreeSockets: 16 })
    this.#connection = connection
    this.#socketPath = socketPath
  }

  override createConnection(
    _options: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    const answer = done as (error: Error | null, stream?: Duplex) => void
    this.#connection.openSocket(this.#socketPath).then((socket) => answer(null, socket), answer)
    return undefined
  }

  /** docker-modem inspects all options to any depth on each request; without this it walks every open channel (27 s). */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'SshAgent'
  }
}
