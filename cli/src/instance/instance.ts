import type { Client, Fetch } from '@slipway/contract/client'
import type { Uploads } from './uploads.ts'

/** Which instance is asked, and as whom. */
export type Target = { url: string; token: string | null; context: string | null }

export type Instance = Target & {
  api: Client
  /** A request that the typed client has no words for. */
  fetch: Fetch
  /** For the contents of files, on so many connections. */
  uploads(connections: number): Promise<Uploads>
  /** Of the server, as its last answer said. */
  version(): string | null
}
