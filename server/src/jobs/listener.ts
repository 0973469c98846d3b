import pg from 'pg'
import type { Log } from './log.ts'
import { repeat, sleep } from './patience.ts'

export type Listener = {
  /** `onConnect` follows every (re)connection: what was said in between went unheard. */
  listen(channel: string, heard: (payload: string) => void, onConnect?: () => void): Promise<{ close(): Promise<void> }>
  close(): Promise<void>
}

type Ear = { channel: string; heard(payload: string): void; onConnect?: (() => void) | undefined }

const RECONNECT_MS = 500
const CHECK_MS = 10_000
const CHECK_TIMEOUT_MS = 5000

/**
 * One connection for everything this process listens to. A notification is only ever a hint that saves time: who needs
 * to know for certain also looks now and then.
 */
export function openListener({ databaseUrl, log }: { databaseUrl: string; log: Log }): Listener {
  const ears = new Set<Ear>()
  const closed = new AbortController()
  let current: Promise<pg.Client> | undefined

  const connect = async (): Promise<pg.Client> => {
    const client = newClient(databaseUrl)
    client.on('error', (error) => log.warn({ reason: error.message }, 'the listening connection was lost'))
    client.on('notification', ({ channel, payload = '' }) => {
      for (const ear of ears) if (ear.channel === channel) ear.heard(payload)
    })
    try {
      await client.connect()
      for (const channel of new Set([...ears].map((ear) => ear.channel))) await subscribe(client, channel)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    client.once('end', () => void reconnect())
    for (const ear of ears) ear.onConnect?.()
    return client
  }

  const reconnect = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      await sleep(RECONNECT_MS, closed.signal)
      if (closed.signal.aborted) return
      current = connect()
      const done = await current.then(
        () => true,
        () => false,
      )
      if (done) return
    }
  }

  // A connection can die without a word; whoever does not answer is hung up on.
  const check = async () => {
    const client = await current?.catch(() => undefined)
    await client?.query('select 1').catch(() => client.end().catch(() => {}))
  }
  void sleep(CHECK_MS, closed.signal).then(() => repeat(CHECK_MS, closed.signal, check))

  return {
    async listen(channel, heard, onConnect) {
      const ear: Ear = { channel, heard, onConnect }
      const first = current === undefined
      ears.add(ear)
      current ??= connect()
      try {
        const client = await current
        if (!first) await subscribe(client, channel).then(onConnect)
      } catch (error) {
        // Once it has stood, the connection comes back by itself and takes this channel along.
        if (!first) return { close: async () => void ears.delete(ear) }
        ears.delete(ear)
        current = undefined
        throw error
      }
      return { close: async () => void ears.delete(ear) }
    },
    async close() {
      closed.abort()
      const client = await current?.catch(() => undefined)
      await client?.end().catch(() => {})
    },
  }
}

const newClient = (connectionString: string) =>
  new pg.Client({
    connectionString,
    keepAlive: true,
    connectionTimeoutMillis: 3000,
    query_timeout: CHECK_TIMEOUT_MS,
    application_name: 'slipway listener',
  })

const subscribe = (client: pg.Client, channel: string) => client.query(`listen ${client.escapeIdentifier(channel)}`)
