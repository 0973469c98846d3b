export type SshTarget = {
  host: string
  port: number
  user: string
  privateKey: string
  passphrase?: string
  /** `ssh-ed25519 SHA256:…`; null before the first check. */
  hostKey: string | null
}

export type SshOptions = {
  /** Aborting closes the connection, at any time of its life. */
  signal: AbortSignal
  /** For the handshake, and again for each later operation. */
  deadlineMs: number
  /** Only the explicit check sets it: accept the key of a server that has no pin yet, and report it. */
  learnHostKey?: boolean
}

/** Host and port as people write them. */
export function addressOf({ host, port }: SshTarget): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
