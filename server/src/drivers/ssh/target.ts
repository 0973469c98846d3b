import type { MayConnect } from './lookup.ts'

export type SshTarget = {
  host: string
  port: number
  user: string
  privateKey: string
  passphrase?: string
  /** `ssh-ed25519 SHA256:…`; null before the first check. */
  hostKey: string | null
  /** Asked with the resolved address, whenever a connection is made. */
  mayConnect?: MayConnect | undefined
}

/** Who logs in where. A server of ours has a key; other SSH servers may want a password. */
export type SshAccount = Omit<SshTarget, 'privateKey' | 'passphrase'> & {
  privateKey: string | null
  passphrase?: string | undefined
  password?: string | null
}

export type SshOptions = {
  /** Aborting closes the connection, at any time of its life. */
  signal: AbortSignal
  /** For the handshake, and again for each later operation. */
  deadlineMs: number
  /** Only the explicit check sets it: accept the key of a server that has no pin yet, and report it. */
  learnHostKey?: boolean
  /** As that of the target, for whoever has none there. */
  mayConnect?: MayConnect | undefined
}

/** Host and port as people write them. */
export function addressOf({ host, port }: Pick<SshTarget, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
