import { createHash } from 'node:crypto'

/** A host key as people compare it: `ssh-ed25519 SHA256:<base64 without padding>`, after `ssh-keygen -l`. */
function hostKeyOf(blob: Buffer): string {
  const type = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1')
  const digest = createHash('sha256').update(blob).digest('base64').replaceAll('=', '')
  return `${type} SHA256:${digest}`
}

/** `hostKeyOf` for a line of a `.pub` file or of known_hosts without the host: `ssh-ed25519 AAAA… comment`. */
export function hostKeyOfLine(line: string): string {
  const blob = line.trim().split(/\s+/)[1]
  if (!blob) throw new Error('A public key line has a type and a base64 part.')
  return hostKeyOf(Buffer.from(blob, 'base64'))
}

export type HostKeyWatch = { verify: (blob: Buffer) => boolean; presented: string | null; refused: boolean }

/** Accepts the pinned key only. Without a pin it accepts the first key it sees, and from then on that one only (rekeying). */
export function watchHostKey(pinned: string | null): HostKeyWatch {
  let expected = pinned
  const watch: HostKeyWatch = {
    presented: null,
    refused: false,
    verify(blob) {
      watch.presented = hostKeyOf(blob)
      expected ??= watch.presented
      watch.refused = watch.presented !== expected
      return !watch.refused
    },
  }
  return watch
}

const rsa = ['rsa-sha2-512', 'rsa-sha2-256'] as const
const ecdsa = ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'] as const
const algorithms = ['ssh-ed25519', ...ecdsa, ...rsa] as const

type HostKeyAlgorithm = (typeof algorithms)[number]

/**
 * The pinned type first: a server with several keys would otherwise show another one, and look like a mismatch. The
 * others stay in the list so that a real mismatch can say which key was shown.
 */
export function hostKeyAlgorithms(pinned: string | null): HostKeyAlgorithm[] {
  const type = pinned?.split(' ')[0]
  const isPinned = (name: HostKeyAlgorithm) => (type === 'ssh-rsa' ? rsa.some((one) => one === name) : name === type)
  return [...algorithms.filter(isPinned), ...algorithms.filter((name) => !isPinned(name))]
}
