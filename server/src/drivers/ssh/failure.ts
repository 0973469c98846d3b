import { DriverFailure } from '../../errors.ts'
import { addressOf, type SshAccount } from './target.ts'

export type SshFailureCode =
  | 'unreachable'
  | 'timeout'
  | 'name_not_found'
  | 'address_refused'
  | 'host_key_unknown'
  | 'host_key_mismatch'
  | 'auth_failed'
  | 'key_unreadable'
  | 'forward_refused'
  | 'file_unreadable'
  | 'connection_lost'

/** Something expected that SSH could not do. The message names host and port, never a key or a passphrase. */
export type SshFailure = DriverFailure<'ssh', SshFailureCode, Facts>

/** The key the server showed, where that helps to decide: a refused key or a refused login. */
type Facts = { presentedHostKey: string | null }
type More = Partial<Facts> & { cause?: unknown }

export const sshFailure = (code: SshFailureCode, message: string, more: More = {}): SshFailure =>
  new DriverFailure('ssh', code, message, {
    hint: hints[code],
    facts: { presentedHostKey: more.presentedHostKey ?? null },
    cause: more.cause,
  })

const hints: Record<SshFailureCode, string> = {
  unreachable:
    'Check that the server is running, that its SSH service listens on this port and that no firewall is in between.',
  timeout: 'Check the address and the port; a firewall that drops packets looks exactly like this.',
  name_not_found: 'Check the spelling of the host name, or use the IP address.',
  address_refused: 'Use a host with an address that may be used.',
  host_key_unknown: 'Check the server first and confirm the fingerprint it shows.',
  host_key_mismatch:
    'If the server was reinstalled, compare the fingerprint on its own console (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub) and confirm the new one. Otherwise someone may be in between.',
  auth_failed: "Add the public key to the user's ~/.ssh/authorized_keys on the server and check the user name.",
  key_unreadable: 'Give an unencrypted private key, or the right passphrase for it (OpenSSH or PEM format).',
  forward_refused:
    'Check that the service behind the socket is running and that sshd_config does not forbid AllowStreamLocalForwarding.',
  file_unreadable: 'Check that the SFTP subsystem is enabled in sshd_config and that the user may read the path.',
  connection_lost:
    'Try again; if it happens repeatedly, check that SSH listens on this port, and look at the network and the SSH service log of the server.',
}

/** Words for an error that ssh2 or the socket reported before the connection was usable. */
export function explainHandshake(error: Error, target: SshAccount, presentedHostKey: string | null): SshFailure {
  const at = addressOf(target)
  const { code, level } = error as { code?: string; level?: string }
  const more = { cause: error, presentedHostKey }
  if (level === 'client-authentication') {
    const shown = target.privateKey === null ? 'password' : 'key'
    return sshFailure('auth_failed', `${at} did not accept the ${shown} for the user ${target.user}.`, more)
  }
  if (code === 'ADDRESS_REFUSED') return sshFailure('address_refused', `${error.message}.`, { cause: error })
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_FAIL') {
    return sshFailure('name_not_found', `The host name ${target.host} could not be resolved.`, { cause: error })
  }
  if (code === 'ETIMEDOUT') return sshFailure('timeout', `${at} did not answer in time.`, { cause: error })
  if (code === 'ECONNREFUSED') {
    return sshFailure('unreachable', `Nothing accepts connections at ${at}.`, { cause: error })
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return sshFailure('unreachable', `There is no route to ${at}.`, { cause: error })
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || error.message === 'Connection lost before handshake') {
    return sshFailure('connection_lost', `The connection to ${at} broke before the SSH handshake was complete.`, {
      cause: error,
    })
  }
  return sshFailure('unreachable', `${at} did not complete the SSH handshake (${error.message}).`, { cause: error })
}
